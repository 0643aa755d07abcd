/** A request that was answered, or whose client went away. */
export interface ObservedRequest {
  readonly id: string;
  readonly method: string;
  /** The pattern of the route, `/api/versions/:number`, because addresses may carry secrets; `null` where there is none. */
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  /** The client, as a trusted proxy names it. */
  readonly ip: string;
  /** The client went away before its answer was complete. */
  readonly isAborted: boolean;
}
