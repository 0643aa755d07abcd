export interface McpStateTables {
  readonly mcpState: {
    readonly environmentId: number;
    /** One of `mcpStateKinds`. */
    readonly kind: string;
    /** This and the other ids are SHA-256. */
    readonly id: string;
    readonly clientId: string | null;
    readonly grantId: string | null;
    readonly personId: number | null;
    /** JSON. */
    readonly payload: string;
    readonly createdAt: number;
    readonly expiresAt: number;
    /** When it was used for the first time. */
    readonly usedAt: number | null;
  };
  /** Grants whose access tokens agents no longer accept. */
  readonly endedMcpGrants: {
    readonly environmentId: number;
    /** SHA-256 of its id. */
    readonly grantId: string;
    readonly endedAt: number;
  };
}
