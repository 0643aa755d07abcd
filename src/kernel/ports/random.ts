/** Cryptographically strong randomness. */
export interface Random {
  /** `bytes` random bytes as lower-case hexadecimal text. */
  hex(bytes: number): string;
  /** A version 4 UUID. */
  uuid(): string;
  /**
   * A version 7 UUID (RFC 9562), for what is found by its id among millions. Such ids come in the order of time, so an index gets them at its
   * end, where a random id would touch a page of its own. It tells everybody when it was made.
   */
  orderedUuid(): string;
}
