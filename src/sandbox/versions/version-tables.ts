export interface VersionTables {
  readonly bundles: {
    readonly projectId: number;
    /** SHA-256 of the content. */
    readonly digest: string;
    readonly sizeBytes: number;
    readonly content: Uint8Array;
    readonly createdAt: number;
  };
  readonly versions: {
    readonly projectId: number;
    /** Counts from 1 in each project. */
    readonly number: number;
    readonly digest: string;
    readonly message: string;
    readonly authorId: number;
    readonly builtWith: string;
    readonly gitCommit: string | null;
    readonly idempotencyKey: string;
    readonly requestHash: string;
    readonly createdAt: number;
  };
}
