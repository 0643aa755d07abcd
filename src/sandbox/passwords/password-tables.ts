export interface PasswordTables {
  readonly passwords: {
    readonly userId: number;
    readonly hash: string;
    readonly changedAt: number;
  };
  readonly passwordResets: {
    /** SHA-256 of what the link carries. */
    readonly secretHash: string;
    readonly userId: number;
    readonly madeBy: number;
    readonly expiresAt: number;
    readonly usedAt: number | null;
  };
  readonly signInTries: {
    /** An account or an address, as SHA-256: people type passwords where an e-mail belongs. */
    readonly subject: string;
    /** Without a success in between. */
    readonly failures: number;
    readonly lockedUntil: number;
    readonly failedAt: number;
  };
}
