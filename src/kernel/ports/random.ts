/** Cryptographically strong randomness. */
export interface Random {
  /** `bytes` random bytes as lower-case hexadecimal text. */
  hex(bytes: number): string;
  /** A version 4 UUID. */
  uuid(): string;
}
