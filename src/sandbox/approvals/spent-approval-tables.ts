export interface SpentApprovalTables {
  readonly spentApprovals: {
    readonly environmentId: number;
    readonly digest: string;
    readonly runId: string;
    /** Seconds since the epoch, as it was signed. */
    readonly expiresAt: number;
  };
}
