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
