import type { LogLine } from '#contracts/local-log';
import type { PlatformClient } from '#platform-client/platform-client';
import type { LogSource } from './log-source.ts';

/** Lines that one request asks for. */
const pageSize = 1000;

type PlatformLine = Awaited<ReturnType<PlatformClient['logs']>>['lines'][number];

/** The log of the hosts of an environment, as the platform keeps it. */
export function platformLogSource(client: Pick<PlatformClient, 'logs'>): LogSource {
  /** Sequence of the newest line that was read. */
  let newest = 0;
  return {
    pauseMs: 2_000,
    async *newest() {
      for (let before: number | undefined; ; ) {
        const { lines, nextBefore } = await client.logs({ limit: pageSize, before });
        newest = Math.max(newest, lines[0]?.sequence ?? 0);
        yield* lines.map(lineOf);
        if (nextBefore === null) return;
        before = nextBefore;
      }
    },
    async newLines() {
      const found: PlatformLine[] = [];
      for (let before: number | undefined; ; ) {
        const { lines, nextBefore } = await client.logs({ limit: pageSize, before });
        found.push(...lines.filter(({ sequence }) => sequence > newest));
        const isAllFound = (lines.at(-1)?.sequence ?? 0) <= newest || nextBefore === null;
        if (isAllFound) break;
        before = nextBefore;
      }
      newest = Math.max(newest, found[0]?.sequence ?? 0);
      return found.reverse().map(lineOf);
    },
  };
}

function lineOf({ at, level, host, text }: PlatformLine): LogLine {
  return { at, level, source: host, text };
}
