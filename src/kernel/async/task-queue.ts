/** Runs what it is given one after the other, in order. A failure concerns only the one that failed. */
export type TaskQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTaskQueue(): TaskQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
