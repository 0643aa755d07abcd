import { EventSourceParserStream } from 'eventsource-parser/stream';
import { RequestFailed, send } from './http.ts';

/** What a server tells the console while it is open. */
export type ServerEvent =
  | { readonly type: 'schema' }
  | { readonly type: 'rights' }
  | { readonly type: 'records'; readonly collection: string }
  | { readonly type: 'code-broken'; readonly problem: CodeProblem };

/** An error of the code that is being written. */
export interface CodeProblem {
  readonly message: string;
  /** The lines around it. */
  readonly frame?: string;
}

/** How long to wait before the connection is opened again. */
const pauseMs = 2_000;

/**
 * Hear the server. Of all pages of one browser one listens, and tells the others: a browser opens only six connections to a server.
 * Returns what ends the hearing.
 */
export function hearServer(listener: (event: ServerEvent) => void): () => void {
  const pages = new BroadcastChannel('vendor-cloud events');
  const end = new AbortController();
  pages.addEventListener('message', ({ data }) => listener(data as ServerEvent));
  const tell = (event: ServerEvent) => {
    listener(event);
    pages.postMessage(event);
  };
  const turn = navigator.locks.request('vendor-cloud events', { signal: end.signal }, () => listen(tell, end.signal));
  // Whoever leaves the page ends the wait for its turn, or the connection. Anything else is a fault.
  turn.catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  return () => {
    end.abort();
    pages.close();
  };
}

/** Read events until the page is left. A connection that ends is opened again where it ended. */
async function listen(tell: (event: ServerEvent) => void, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  while (!signal.aborted) {
    try {
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
      const { body } = await send('/api/events', { signal, headers });
      const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { id, data } of events ?? []) {
        lastId = id ?? lastId;
        tell(JSON.parse(data) as ServerEvent);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RequestFailed || error instanceof TypeError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
