/** The port that a server should listen on. */
export interface WantedPort {
  /** 0 takes any free one. */
  readonly port: number;
  /** The user asked for this number: fail when the port is busy, instead of taking another one. */
  readonly isExact: boolean;
  /**
   * Other servers of this product listen on the same port, and the system spreads connections over them (`SO_REUSEPORT`).
   * Default false.
   */
  readonly isShared?: boolean;
}
