export interface PublicApiTables {
  readonly rateLimits: {
    /** Whose quota it is: `token 3` or `person 7`. */
    readonly subject: string;
    readonly policy: string;
    /** Microseconds since the epoch. The quota is whole again then. */
    readonly spentUntil: number;
  };
  /** Answers that a request with the same key gets again. */
  readonly idempotencyKeys: {
    readonly subject: string;
    readonly route: string;
    readonly idempotencyKey: string;
    /** SHA-256 of the body of the request. */
    readonly fingerprint: string;
    readonly status: number;
    /** JSON, an object of texts. */
    readonly headers: string;
    /** JSON. */
    readonly body: string;
    readonly expiresAt: number;
  };
}
