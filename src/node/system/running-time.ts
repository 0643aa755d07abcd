/** How often the event loop has to come by while somebody asks for the time of it. */
const beatMs = 50;
/** A loop that is later than this was held up. */
const lateMs = 4 * beatMs;

/** What the machine says. */
interface Measured {
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Milliseconds that the processors have worked for this process. */
  readonly worked: () => number;
}

const ofThisProcess: Measured = {
  now: () => performance.now(),
  worked: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * A clock that stands while the process stands still: while its virtual machine is paused, the process is stopped, or the machine has no
 * processor for it. What the process computes counts, however long it holds up the event loop.
 *
 * @param isNeeded whether the time goes on to matter. The clock looks twenty times a second as long as it does, so that it notices.
 * @returns milliseconds since an instant in the past.
 */
export function createRunningTime(isNeeded: () => boolean, measured: Measured = ofThisProcess): () => number {
  let stoodMs = 0;
  let lookedAt = 0;
  let workedMs = 0;
  let beat: NodeJS.Timeout | undefined;

  const look = (now: number) => {
    const worked = measured.worked();
    if (beat && now - lookedAt > lateMs) stoodMs += Math.max(0, now - lookedAt - (worked - workedMs));
    lookedAt = now;
    workedMs = worked;
  };
  const onBeat = () => {
    look(measured.now());
    if (isNeeded()) return;
    clearInterval(beat);
    beat = undefined;
  };
  return () => {
    const now = measured.now();
    if (!beat || now - lookedAt > lateMs) look(now);
    beat ??= setInterval(onBeat, beatMs).unref();
    return now - stoodMs;
  };
}
