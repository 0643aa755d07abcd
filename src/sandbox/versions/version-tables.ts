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
    /** SHA-256 of what was asked for: the same key must always ask for the same. */
    readonly requestHash: string;
    /** Milliseconds since the epoch. */
    readonly createdAt: number;
    /** SHA-256 of `content`, so that the same content is one version; `null` for versions of an older format. */
    readonly contentHash: string | null;
    /** What is served, as JSON: the manifest but for where it came from. */
    readonly content: string | null;
  };
}
