import type { Http } from '#kernel/ports/http';
import type { Reporter } from '#kernel/ports/reporter';

/** How long nobody is told what is waited for, in milliseconds. */
const silenceMs = 1_000;

/**
 * The same HTTP, which says whom it waits for when an answer takes longer than a second. A request with a deadline of its own
 * is expected to take long: whoever sends it says so.
 */
export function tellLongWaits<Given extends Http>(http: Given, reporter: Pick<Reporter, 'info'>): Given {
  return {
    ...http,
    async send(request) {
      if (request.deadlineMs !== undefined) return http.send(request);
      const timer = setTimeout(() => reporter.info(`Waiting for ${new URL(request.url).host} …`), silenceMs);
      try {
        return await http.send(request);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
