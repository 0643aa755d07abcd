export interface SignInTables {
  readonly signIns: {
    /** What the OpenID provider calls it: `Client`, `Session`, `AuthorizationCode`, … */
    readonly kind: string;
    /** SHA-256 of the id. */
    readonly id: string;
    readonly uid: string | null;
    readonly grantId: string | null;
    /** JSON. */
    readonly payload: string;
    readonly expiresAt: number | null;
    readonly consumedAt: number | null;
    /** Whose it is. */
    readonly accountId: number | null;
    readonly clientId: string | null;
    /** SHA-256 of the code that a device shows. */
    readonly userCode: string | null;
    /** Where the request came from that made it. */
    readonly address: string | null;
    readonly createdAt: number | null;
  };
  readonly signInKeys: {
    /** As tokens name it. */
    readonly id: string;
    /** The private keys, encrypted under the key of the platform. */
    readonly sealed: string;
    readonly createdAt: number;
  };
}
