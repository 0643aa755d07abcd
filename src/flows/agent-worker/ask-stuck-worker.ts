import { type InspectorNotification, Session } from 'node:inspector';
import type { Worker } from 'node:worker_threads';
import type { RunningCode } from '#runtime/index';
import { tellerName } from './tell-what-runs.ts';

const question = `globalThis[Symbol.for(${JSON.stringify(tellerName)})]()`;
/** How long a worker may take to say what it runs. It says so within milliseconds, once it has a processor. */
const longestWaitMs = 5_000;

interface AttachedToWorker {
  readonly sessionId: string;
  readonly workerInfo: { readonly title: string };
}

/**
 * What a worker runs that answers no message any more, with its place: the inspector interrupts it, evaluates the question on top of
 * its stack, and lets it go on. `undefined` where it does not answer, or its code has harmed what answers.
 */
export async function askStuckWorker({ threadId }: Pick<Worker, 'threadId'>): Promise<RunningCode | undefined> {
  const session = new Session();
  session.connect();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<RunningCode | undefined>((resolve, reject) => {
      timer = setTimeout(resolve, longestWaitMs, undefined);
      session.on('NodeWorker.attachedToWorker', ({ params }: InspectorNotification<AttachedToWorker>) => {
        const { sessionId, workerInfo } = params;
        // The inspector counts workers by itself; the title has the number of the thread.
        if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return;
        session.on('NodeWorker.receivedMessageFromWorker', (received) => {
          if (received.params.sessionId === sessionId) resolve(answerIn(received.params.message));
        });
        const message = { id: 1, method: 'Runtime.evaluate', params: { expression: question, returnByValue: true } };
        session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify(message) });
      });
      session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, (error) => error && reject(error));
    });
  } finally {
    clearTimeout(timer);
    await new Promise((resolve) => session.post('NodeWorker.disable', resolve));
    session.disconnect();
  }
}

function answerIn(message: string): RunningCode | undefined {
  const { result } = JSON.parse(message) as { readonly result?: { readonly result?: { readonly value?: unknown } } };
  const value = result?.result?.value;
  return typeof value === 'string' ? (JSON.parse(value) as RunningCode) : undefined;
}
