import type { MaybePromise } from '#kernel/async/maybe-promise';

/**
 * Input of a service, or how to read it. What is wrong with a request tells what a collection looks like, so a service reads
 * its input once it knows that the caller has the right to the collection.
 */
export type Unread<Input> = Input | (() => Input);

/** The same where reading may have to wait for the database. */
export type UnreadLater<Input> = Input | (() => MaybePromise<Input>);

/** Read input, now that the right is known. */
export function readInput<Input>(input: Unread<Input>): Input {
  return typeof input === 'function' ? (input as () => Input)() : input;
}
