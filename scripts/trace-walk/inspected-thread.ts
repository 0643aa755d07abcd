import type { Runtime } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** A thread of this process whose code can be looked at while it runs. */
export interface InspectedThread {
  /** Carry out one command of the inspector protocol. */
  post<Result>(method: string, parameters?: object): Promise<Result>;
  /** The value of an expression, in the globals of the thread. */
  evaluate<Value>(expression: string): Promise<Value>;
}

/** Inspect this thread; `close` ends it. */
export function inspectThisThread(): { readonly thread: InspectedThread; close(): void } {
  const session = new Session();
  session.connect();
  const post = (method: string, parameters?: object) =>
    (session.post as (method: string, parameters?: object) => Promise<unknown>).call(session, method, parameters);
  return { thread: threadOf(post), close: () => session.disconnect() };
}

interface Attached {
  readonly params: { readonly sessionId: string };
}

interface Received {
  readonly params: { readonly sessionId: string; readonly message: string };
}

/** Inspect the first worker thread of this process; one has to run. `close` ends it. */
export async function inspectWorkerThread(): Promise<{ readonly thread: InspectedThread; close(): void }> {
  const session = new Session();
  session.connect();
  const waiting = new Map<number, (answer: { readonly result?: unknown; readonly error?: unknown }) => void>();
  session.on('NodeWorker.receivedMessageFromWorker' as 'inspectorNotification', (event: unknown) => {
    const { id, ...answer } = JSON.parse((event as Received).params.message) as { readonly id?: number };
    if (id !== undefined) waiting.get(id)?.(answer);
  });
  const attached = new Promise<string>((resolve) => {
    session.on('NodeWorker.attachedToWorker' as 'inspectorNotification', (event: unknown) =>
      resolve((event as Attached).params.sessionId),
    );
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const sessionId = await attached;
  let lastId = 0;
  const post = async (method: string, params?: object) => {
    const id = ++lastId;
    const answered = new Promise<{ readonly result?: unknown; readonly error?: unknown }>((resolve) => {
      waiting.set(id, resolve);
    });
    await session.post('NodeWorker.sendMessageToWorker', {
      sessionId,
      message: JSON.stringify({ id, method, params }),
    });
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  return { thread: threadOf(post), close: () => session.disconnect() };
}

function threadOf(post: (method: string, parameters?: object) => Promise<unknown>): InspectedThread {
  const typed = <Result>(method: string, parameters?: object) => post(method, parameters) as Promise<Result>;
  return {
    post: typed,
    async evaluate<Value>(expression: string) {
      const { result } = await typed<Runtime.EvaluateReturnType>('Runtime.evaluate', {
        expression,
        returnByValue: true,
      });
      return result.value as Value;
    },
  };
}
