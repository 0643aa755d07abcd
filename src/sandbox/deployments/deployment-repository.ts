import type { UserRecord } from '../identity/identity-repository.ts';

export interface NewVersion {
  readonly projectId: number;
  readonly digest: string;
  readonly message: string;
  readonly authorId: number;
  readonly builtWith: string;
  readonly gitCommit: string | null;
  readonly idempotencyKey: string;
  /** SHA-256 of what was asked for: the same key must always ask for the same. */
  readonly requestHash: string;
}

export interface VersionRecord extends NewVersion {
  readonly number: number;
  readonly sizeBytes: number;
  readonly author: UserRecord;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Bundles by their digest, and the versions made of them. */
export interface DeploymentRepository {
  findBundleSize(projectId: number, digest: string): Promise<number | undefined>;
  /** False when the project has those bytes already. */
  addBundle(projectId: number, digest: string, content: Uint8Array): Promise<boolean>;
  findVersionByKey(projectId: number, idempotencyKey: string): Promise<VersionRecord | undefined>;
  /**
   * Gives the version the next number of its project, or, when its idempotency key made one before, gives back that one
   * unchanged. The bundle must be there.
   */
  addVersion(version: NewVersion): Promise<VersionRecord>;
  /** Newest first, numbers below `before`. */
  listVersions(projectId: number, limit: number, before: number | undefined): Promise<readonly VersionRecord[]>;
}
