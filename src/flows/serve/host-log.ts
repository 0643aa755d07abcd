import { type HostLogLine, maxLinesPerBeat } from '#contracts/hosting';
import type { Clock } from '#kernel/ports/clock';

const maxTextLength = 4000;
/** Lines that wait for the platform at most; the oldest go first. */
const maxWaiting = 1000;

/** What a host has to say to the people who run the environment. It waits here until the platform has it. */
export interface HostLog {
  add(level: HostLogLine['level'], text: string): void;
  /** The lines to send next. They stay until `sent` is called with how many arrived. */
  next(): readonly HostLogLine[];
  sent(count: number): void;
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
      if (dropped > 0) {
        waiting.unshift(line('Warn', `${dropped} older lines were dropped while the platform was away.`));
        dropped = 0;
      }
      return waiting.slice(0, maxLinesPerBeat);
    },
    sent: (count) => void waiting.splice(0, count),
  };
}
