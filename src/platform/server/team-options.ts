import type { ObservedRequest } from './observed-request.ts';

/** PEM texts. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** What a platform of a team has beside what the local one has. */
export interface TeamOptions {
  /** Serve https with it. */
  readonly tls?: Certificate;
  /** Addresses and ranges of the proxies whose headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Lets a monitor read `/metrics` from another machine. */
  readonly metricsToken?: string;
  /** Milliseconds that a load balancer is given to read from `/ready` that the platform stops. */
  readonly noticeMs: number;
  /** Milliseconds that requests in flight are given when it stops. */
  readonly drainMs: number;
  /** Each request, when it is done. */
  tellRequest(request: ObservedRequest): void;
}
