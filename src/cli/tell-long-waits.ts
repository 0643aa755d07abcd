import type { Http } from '#kernel/ports/http';
import type { Reporter } from '#kernel/ports/reporter';

/** How long nobody is told what is waited for, in milliseconds. */
const silenceMs = 1_000;

/**
 * The same HTTP, which says whom it waits for when an answer takes longer than a second. A request with a deadline of its own
 * is expected to take long: whoever sends it says so. Requests that wait for the same server at the same time are told once.
 */
export function tellLongWaits<Given extends Http>(http: Given, reporter: Pick<Reporter, 'info'>): Given {
  /** The requests under way that took longer than a second, by host. */
  const waiting = new Map<string, number>();
  return {
    ...http,
    async send(request) {
      if (request.deadlineMs !== undefined) return http.send(request);
      const { host } = new URL(request.url);
      let isLong = false;
      const timer = setTimeout(() => {
        isLong = true;
        const others = waiting.get(host) ?? 0;
        waiting.set(host, others + 1);
        if (others === 0) reporter.info(`Waiting for ${host} …`);
      }, silenceMs);
      try {
        return await http.send(request);
      } finally {
        clearTimeout(timer);
        if (isLong) waiting.set(host, (waiting.get(host) ?? 1) - 1);
      }
    },
  };
}
