import { type ExitCode, exitCodes } from '#kernel/errors/catalogue/exit-codes';
import type { Clock } from '#kernel/ports/clock';
import type { Timers } from '#kernel/ports/timers';
import type { ProcessEnvironment } from '#node/environment/process-environment';
import { systemClock } from '#node/system/system-clock';
import type { Terminal } from '../terminal/terminal.ts';
import type { Invocation } from './invocation.ts';

/** A second Ctrl-C within this time counts as the same one, because terminals and package runners send it twice. */
const sameInterruptMs = 500;
/** A running native query stops neither for a request nor for the end of its thread; the process then ends by itself. */
const lastMs = 950;
/** Nobody waits for a command without a reader. */
const lastUnreadMs = 10_000;

interface Interrupts {
  readonly invocation: Pick<
    Invocation,
    'interrupted' | 'onInterrupt' | 'interrupt' | 'serve' | 'endUnread' | 'handOverSignals'
  >;
  /** The command has failed: its exit code stands, even if nobody can read why. */
  failed(): void;
  /** The command is done: stop listening, and wait for an undo that an interrupt has begun. */
  end(): Promise<void>;
}

/** Unlike those of the port, this timer keeps the process alive: it must not end before it has undone things. */
const untilTheEnd: Timers = {
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Ctrl-C and termination: tell the command, undo what was registered, and end the process should that take too long. */
export function handleInterrupts(
  environment: ProcessEnvironment,
  terminal: Terminal,
  timers: Timers = untilTheEnd,
  clock: Clock = systemClock,
): Interrupts {
  const controller = new AbortController();
  const cleanups = new Set<() => Promise<void>>();
  let undoing: Promise<unknown> = Promise.resolve();
  let firstAt = 0;
  let cancelLastResort = () => {};
  let endingMs = lastMs;
  let hasFailed = false;
  let endCode: ExitCode = exitCodes.interrupted;

  const interrupt = () => {
    if (controller.signal.aborted) {
      if (clock.monotonicMs() - firstAt > sameInterruptMs) environment.exit(exitCodes.interrupted);
      return;
    }
    firstAt = clock.monotonicMs();
    terminal.note('Stopping …');
    cancelLastResort = timers.after(endingMs, () => environment.exit(exitCodes.interrupted));
    controller.abort();
    undoing = Promise.allSettled([...cleanups].map((cleanup) => cleanup()));
  };
  const endUnread = (code: ExitCode = exitCodes.ok) =>
    environment.onOutputLost(() => {
      // What is written while the command ends is lost as well.
      if (hasFailed || controller.signal.aborted) return;
      endCode = code;
      endingMs = Math.max(endingMs, lastUnreadMs);
      interrupt();
    });
  let taker: ((signal: string) => void) | undefined;
  const stopListening = environment.onInterrupt((signal) => (taker ? taker(signal) : interrupt()));

  return {
    invocation: {
      interrupted: controller.signal,
      interrupt,
      serve(ms, codeUnread) {
        endingMs = ms;
        endCode = exitCodes.ok;
        endUnread(codeUnread);
      },
      endUnread,
      handOverSignals(take) {
        taker = take;
        return () => {
          taker = undefined;
        };
      },
      onInterrupt(cleanup) {
        cleanups.add(cleanup);
        return () => void cleanups.delete(cleanup);
      },
    },
    failed() {
      hasFailed = true;
    },
    async end() {
      stopListening();
      await undoing;
      cancelLastResort();
      // Handles that user code or a driver keeps open must not keep an interrupted process alive.
      if (controller.signal.aborted) environment.exit(endCode);
    },
  };
}
