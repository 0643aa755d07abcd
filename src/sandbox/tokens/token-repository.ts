export interface TokenRecord {
  readonly id: number;
  readonly tokenHash: string;
  readonly userId: number;
  readonly environmentId: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

export interface NewToken extends Omit<TokenRecord, 'id' | 'revokedAt'> {
  /** What it was made for; tokens of one purpose can be revoked together. */
  readonly purpose: string;
}

/** Tokens of people, kept only as SHA-256. */
export interface TokenRepository {
  add(token: NewToken): Promise<void>;
  findByHash(tokenHash: string): Promise<TokenRecord | undefined>;
  /** Silent when there is no such token or it was revoked before. */
  revoke(tokenHash: string): Promise<void>;
  revokeOfPurpose(userId: number, environmentId: number, purpose: string): Promise<void>;
}
