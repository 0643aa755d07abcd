export interface TcpAddress {
  readonly host: string;
  readonly port: number;
  /** TLS, with the certificates that this machine trusts. */
  readonly isTls: boolean;
}

export interface TcpConnection {
  /** Resolves when the system has taken the bytes. Rejects with `COLLECTOR_UNREACHABLE` once the other side is gone. */
  send(bytes: Uint8Array): Promise<void>;
  /** End the connection after what was sent. */
  close(): Promise<void>;
}

/** Outbound connections that only send. */
export interface Tcp {
  /** Rejects with `COLLECTOR_UNREACHABLE`, or `COLLECTOR_REFUSED` for a certificate that this machine does not trust. */
  connect(address: TcpAddress): Promise<TcpConnection>;
}

/** The port that a server should listen on. */
export interface WantedPort {
  /** 0 takes any free one. */
  readonly port: number;
  /** The user asked for this number: fail when the port is busy, instead of taking another one. */
  readonly isExact: boolean;
  /** The flag that asked for it, such as `--agent-port`. */
  readonly flag?: string;
  /**
   * Other servers of this product listen on the same port, and the system spreads connections over them (`SO_REUSEPORT`).
   * Default false.
   */
  readonly isShared?: boolean;
}
