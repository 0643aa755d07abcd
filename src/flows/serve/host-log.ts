import { type HostLogLine, maxLinesPerBeat } from '#contracts/hosting';
import type { Clock } from '#kernel/ports/clock';

const maxTextLength = 4000;
/** Lines that wait for the platform at most; the oldest go first. */
const maxWaiting = 1000;

/** Lines on their way to the platform. */
interface SentLines {
  readonly lines: readonly HostLogLine[];
  /** The platform has them. Until this is called, they wait and are sent again. */
  arrived(): void;
}

/** What a host has to say to the people who run the environment. It waits here until the platform has it. */
export interface HostLog {
  add(level: HostLogLine['level'], text: string): void;
  next(): SentLines;
}

export function createHostLog(clock: Clock): HostLog {
  const waiting: HostLogLine[] = [];
  let dropped = 0;
  const line = (level: HostLogLine['level'], text: string): HostLogLine => ({
    at: new Date(clock.now()).toISOString(),
    level,
    text: text.slice(0, maxTextLength),
  });
  return {
    add(level, text) {
      waiting.push(line(level, text));
      if (waiting.length <= maxWaiting) return;
      waiting.shift();
      dropped += 1;
    },
    next() {
      const told = dropped;
      const notice =
        told > 0
          ? [
              line(
                'Warn',
                `${told === 1 ? 'One older line was' : `${told} older lines were`} dropped while the platform was away.`,
              ),
            ]
          : [];
      const lines = waiting.slice(0, maxLinesPerBeat - notice.length);
      const last = lines.at(-1);
      return {
        lines: [...notice, ...lines],
        arrived() {
          dropped -= told;
          // Lines may have been dropped meanwhile, so the last one tells how far it goes.
          if (last) waiting.splice(0, waiting.indexOf(last) + 1);
        },
      };
    },
  };
}
