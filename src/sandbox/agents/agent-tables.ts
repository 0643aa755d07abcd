export interface AgentTables {
  /** The agents that listen. */
  readonly agents: {
    readonly environmentId: number;
    /** Made up by the agent. */
    readonly id: string;
    /** Made up by the platform for each connection: the end of an older one does not count for a newer one. */
    readonly connection: string;
    /** Of the platform, that the agent is connected to. */
    readonly process: string;
    readonly connectedAt: number;
    /** Sequence of the last event that the agent has carried out. */
    readonly acknowledged: number | null;
    readonly seenAt: number;
  };
}
