import type { Generated } from 'kysely';

export interface TokenTables {
  readonly tokens: {
    readonly id: Generated<number>;
    readonly tokenHash: string;
    readonly userId: number;
    readonly environmentId: number;
    readonly purpose: string;
    /** Where it was made from, where that is known. */
    readonly address: string | null;
    readonly createdAt: number;
    readonly expiresAt: number;
    readonly revokedAt: number | null;
  };
}
