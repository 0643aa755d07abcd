import type { Generated } from 'kysely';

export interface ApiTokenTables {
  readonly apiTokens: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly name: string;
    /** The last characters of the secret. */
    readonly hint: string;
    /** JSON, an array of scopes as they were asked for. */
    readonly scopes: string;
    /** JSON, an array of addresses and ranges. Empty: every address. */
    readonly allowedCidrs: string;
    readonly createdBy: number;
    readonly createdAt: number;
    readonly rotatedAt: number | null;
    /** How long a new secret is valid. `null`: it does not expire. */
    readonly lifetimeMs: number | null;
    readonly expiresAt: number | null;
    readonly revokedAt: number | null;
    readonly lastUsedAt: number | null;
    readonly lastUsedAddress: string | null;
    /** When the log last said that the token expires soon. */
    readonly warnedAt: number | null;
  };
  /** The secrets of tokens: the newest one, and those that a rotation left valid for a while. */
  readonly apiTokenSecrets: {
    readonly secretHash: string;
    readonly tokenId: number;
    /** `null` for the newest one, which is valid as long as the token. */
    readonly endsAt: number | null;
  };
}
