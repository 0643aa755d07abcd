/** A value that is there already, or a promise of it. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Call `next` with a value: at once when it is there already, so that a request with nothing to wait for does not wait.
 */
export function whenReady<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
