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
    /** Id of the token that it was printed from; `null` for a sign-in. */
    readonly printedFrom: number | null;
    /** What it opens: `platform`; `agent` or `mcp`, where it is exchanged. */
    readonly audience: Generated<string>;
    /** 1 where it opens nothing to writes. */
    readonly isReadOnly: Generated<number>;
  };
}
