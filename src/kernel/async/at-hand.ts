/** A value that is at hand, or one that has to be waited for. */
export type AtHand<Value> = Value | Promise<Value>;

/** What `next` makes of a value: at once where it is at hand, so that a request that has nothing to wait for does not. */
export function whenAtHand<Value, Result>(
  value: AtHand<Value>,
  next: (value: Value) => AtHand<Result>,
): AtHand<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
