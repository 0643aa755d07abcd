import type { ConsoleEvent } from '#contracts/console-events';

/**
 * Hear the platform. Of all pages of one browser one listens, and tells the others: a browser opens only six connections to a server.
 * Returns what ends the hearing.
 */
export function hearPlatform(environment: string, listener: (event: ConsoleEvent) => void): () => void {
  const name = `vendor-cloud events of ${environment}`;
  const pages = new BroadcastChannel(name);
  const end = new AbortController();
  pages.addEventListener('message', ({ data }) => listener(data as ConsoleEvent));
  const turn = navigator.locks.request(name, { signal: end.signal }, () => {
    // The turn may have come right before the end.
    if (end.signal.aborted) return undefined;
    const source = new EventSource(`/api/events?${new URLSearchParams({ environment })}`);
    source.addEventListener('message', ({ data }) => {
      const event = JSON.parse(String(data)) as ConsoleEvent;
      listener(event);
      pages.postMessage(event);
    });
    return new Promise<void>((resolve) =>
      end.signal.addEventListener('abort', () => {
        source.close();
        resolve();
      }),
    );
  });
  // Whoever leaves the page ends the wait for its turn. Anything else is a fault.
  turn.catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  return () => {
    end.abort();
    pages.close();
  };
}
