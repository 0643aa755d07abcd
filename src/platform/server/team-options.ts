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

/** A request that was answered, or whose client went away. */
export interface ObservedRequest {
  readonly id: string;
  readonly method: string;
  /** The pattern of the route, `/api/versions/:number`, because addresses may carry secrets; `null` if there is none. */
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  /** The client, as a trusted proxy names it. */
  readonly ip: string;
  /** The client went away before its answer was complete. */
  readonly isAborted: boolean;
}
