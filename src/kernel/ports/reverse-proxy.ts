import type { WantedPort } from './tcp.ts';

export interface ReverseProxyOptions {
  /** Address to bind. */
  readonly host: string;
  readonly port: WantedPort;
  /** The body, as JSON, of the 503 that a request gets whose server was lost. */
  readonly lostAnswer: unknown;
  /**
   * Whether the body of a 503 says that another server is about to take the place of the one that answered. A GET is sent to that one
   * then. Any other request is answered once that one serves. Default: never.
   */
  readonly isOutdated?: (body: string) => boolean;
}

/**
 * A server that hands its requests to another one on loopback, which may be replaced or lost while this one listens. Where there is
 * none, requests wait for the next one.
 */
export interface ReverseProxy {
  readonly port: number;
  /** Hand requests to the server on this port from now on, also those that wait. Requests in flight stay where they are. */
  handTo(port: number): ServerBehind;
  /** Take no more requests; those in flight get `drainMs` to end. */
  stop(drainMs: number): Promise<void>;
}

/** A server that a proxy hands requests to, or has handed them to. */
export interface ServerBehind {
  /** Resolves when no request is in flight there. */
  whenIdle(): Promise<void>;
  /** It is gone. Requests in flight are answered with 503 and `Retry-After`; where an answer has begun, the connection is cut. */
  lose(): void;
}

/** Rejects with `MACHINE_PORT_IN_USE` or `MACHINE_ADDRESS_UNUSABLE`. */
export type OpenReverseProxy = (options: ReverseProxyOptions) => Promise<ReverseProxy>;
