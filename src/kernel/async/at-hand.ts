/** A value that is there already, or a promise of it. */
export type AtHand<Value> = Value | Promise<Value>;

/**
 * Call `next` with a value: at once when it is there already, so that a request with nothing to wait for does not wait.
 */
export function whenAtHand<Value, Result>(
  value: AtHand<Value>,
  next: (value: Value) => AtHand<Result>,
): AtHand<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
