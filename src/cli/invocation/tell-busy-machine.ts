import type { Reporter } from '#kernel/ports/reporter';
import { type ThreadTimes, threadTimes } from '#node/system/thread-times';

/** Milliseconds between two looks at what this thread gets. */
const lookMs = 1_000;
/** How many looks are judged together. */
const judgedLooks = 3;
/** Less work tells nothing. */
const leastWantedMs = 1_000;
/** The person learns about a thread that gets less processor time than it wants. */
const busyShare = 1 / 3;

/**
 * Say once that the machine is busy, where this thread waits for a processor longer than it has one.
 *
 * @returns what ends the looks, because nothing takes longer once the command has ended.
 */
export function tellBusyMachine(
  reporter: Pick<Reporter, 'info'>,
  readTimes: () => ThreadTimes = threadTimes,
): () => void {
  const looks = [readTimes()];
  const timer = setInterval(() => {
    const now = readTimes();
    const share = shareOf(looks.at(-judgedLooks) ?? looks[0] ?? now, now);
    looks.push(now);
    if (share >= busyShare) return;
    clearInterval(timer);
    const percent = Math.max(1, Math.round(100 * share));
    reporter.info(
      `This machine is busy: the command gets ${percent} % of the processor time that it needs, and takes longer.`,
    );
  }, lookMs).unref();
  return () => clearInterval(timer);
}

function shareOf(start: ThreadTimes, end: ThreadTimes): number {
  const wantedMs = end.wantedMs - start.wantedMs;
  return wantedMs < leastWantedMs ? 1 : (end.gotMs - start.gotMs) / wantedMs;
}
