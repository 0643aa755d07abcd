export interface TeamTables {
  /** Teams that stay without people and rights. */
  readonly keptTeams: {
    readonly projectId: number;
    readonly name: string;
  };
}
