export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Give up after this many milliseconds, over all retries. Default 10 000. */
  readonly deadlineMs?: number;
  /** Try again, with jitter, when the server did not answer or answered 502 to 504. Only for calls that may be repeated. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface HttpStreamRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

export interface HttpStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Rejects with `PLATFORM_UNREACHABLE` when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Answers that arrive piece by piece, as long as both sides want. If possible, an open stream does not keep the process
 * alive.
 */
export interface HttpStreams {
  /** Resolves with the head of the answer, whatever its status; no redirect is followed. Rejects as `Http.send` does. */
  open(request: HttpStreamRequest): Promise<HttpStream>;
}

/** Outbound HTTP: proxy and certificate settings of the machine, a deadline on every call, no redirects followed. */
export interface Http {
  /** Rejects with `PLATFORM_UNREACHABLE` or `PLATFORM_TIMEOUT`; any answer, 500 included, resolves. */
  send(request: HttpRequest): Promise<HttpResponse>;
}
