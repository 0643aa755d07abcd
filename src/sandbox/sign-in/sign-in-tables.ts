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
  };
  /** One row. */
  readonly signInKeys: {
    readonly id: 1;
    /** JSON Web Key. */
    readonly signingKey: string;
    readonly cookieKey: string;
    readonly createdAt: number;
  };
}
