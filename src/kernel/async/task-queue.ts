/** Runs tasks one after the other, in order. A task that fails does not stop those behind it. */
export type TaskQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTaskQueue(): TaskQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    // The queue holds no result.
    last = turn.then(over, over);
    return turn;
  };
}

function over(): void {}

/** Runs the tasks of each key one after the other, and those of different keys at the same time. */
export function createKeyedTaskQueue<Key>(): <Result>(key: Key, work: () => Promise<Result>) => Promise<Result> {
  const queues = new Map<Key, { readonly inTurn: TaskQueue; waiting: number }>();
  return async (key, work) => {
    const queue = queues.get(key) ?? { inTurn: createTaskQueue(), waiting: 0 };
    queues.set(key, queue);
    queue.waiting++;
    try {
      return await queue.inTurn(work);
    } finally {
      if (--queue.waiting === 0) queues.delete(key);
    }
  };
}
