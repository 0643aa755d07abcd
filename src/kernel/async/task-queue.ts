/** Runs tasks one after the other, in order. A task that fails does not stop those behind it. */
export type TaskQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTaskQueue(): TaskQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
