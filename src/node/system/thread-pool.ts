import { availableParallelism } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { UnderWay } from '#kernel/async/under-way';
import { CloudError, type CloudErrorInput, isCloudError } from '#kernel/errors/cloud-error';
import { type ErrorReport, reportOfError } from '#kernel/errors/error-report';
import { conditionsIn, moduleUrl } from './package-files.ts';

interface Request<Task> {
  readonly id: number;
  readonly task: Task;
}

type Reply<Answer> =
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly error: ErrorReport; readonly safeDetails: CloudError['safeDetails'] };

interface Asked<Answer> extends Pick<PromiseWithResolvers<Answer>, 'resolve' | 'reject'> {
  readonly id: number;
}

/** Threads that carry out tasks of one kind, each one after the other. */
export interface ThreadPool<Task, Answer> {
  /** How many tasks are worth being given at once: each thread has one to go on with. */
  readonly depth: number;
  run(task: Task): Promise<Answer>;
  close(): Promise<void>;
}

/** One thread for each processor, and no more than this: whoever gives out the tasks has work of its own. */
const mostThreads = 4;

/** The memory for new objects of a thread, in MB: three times what V8 fills before it collects them. */
const youngMb = 48;

/** @param module Calls `serveTasks`. Its threads end with the pool. */
export function openThreadPool<Task, Answer>(
  module: `#${string}`,
  threads = Math.min(availableParallelism(), mostThreads),
): ThreadPool<Task, Answer> {
  const waiting = new UnderWay<Asked<Answer>>();
  const workers = Array.from({ length: threads }, () => {
    const worker = new Worker(moduleUrl(module), {
      execArgv: conditionsIn(process.execArgv),
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    });
    worker.on('message', (reply: Reply<Answer>) => {
      const asked = [...waiting].find(({ id }) => id === reply.id);
      if (!asked) return;
      waiting.delete(asked);
      if ('answer' in reply) asked.resolve(reply.answer);
      else asked.reject(new CloudError({ ...reply.error, safeDetails: reply.safeDetails } as CloudErrorInput));
    });
    worker.on('error', (error) => {
      for (const asked of waiting) {
        waiting.delete(asked);
        asked.reject(error);
      }
    });
    return worker;
  });
  let last = 0;
  return {
    depth: 2 * threads,
    run: (task) => {
      const id = last++;
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      waiting.add({ id, resolve, reject });
      workers[id % threads]?.postMessage({ id, task } satisfies Request<Task>);
      return promise;
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** Carry out the tasks that the pool gives to this thread. */
export function serveTasks<Task, Answer>(work: (task: Task) => Answer | Promise<Answer>): void {
  const port = parentPort;
  const reply = async ({ id, task }: Request<Task>): Promise<Reply<Answer>> => {
    try {
      return { id, answer: await work(task) };
    } catch (error) {
      const safeDetails = isCloudError(error) ? error.safeDetails : {};
      return { id, error: reportOfError(error), safeDetails };
    }
  };
  port?.on('message', (request: Request<Task>) => void reply(request).then((answer) => port.postMessage(answer)));
}
