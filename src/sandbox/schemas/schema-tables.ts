export interface SchemaTables {
  readonly schemas: {
    readonly environmentId: number;
    readonly hash: string;
    /** Canonical JSON. */
    readonly document: string;
    readonly receivedAt: number;
  };
}
