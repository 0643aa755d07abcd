export interface SetupTables {
  readonly setupLinks: {
    /** SHA-256 of the secret in the link. */
    readonly secretHash: string;
    readonly expiresAt: number;
  };
}
