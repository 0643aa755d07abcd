import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { RunningCode } from '#runtime/index';
import type { Patience, Verdict } from './worker-silence.ts';

/** Why a worker that was silent for too long was ended. `running` is what it ran then, where it has told. */
export function stuck(
  verdict: Exclude<Verdict, 'undecided'>,
  { busyMs, blockedMs }: Patience,
  running?: RunningCode,
): CloudError {
  const { message, nextStep } = reasons[verdict];
  const seconds = (verdict === 'loop' ? busyMs : blockedMs) / 1_000;
  return cloudError(
    'CUSTOMIZATION_UNRESPONSIVE',
    `${message(running?.subject ?? 'The customization code', seconds)} Its worker was ended.`,
    nextStep,
    { ...(running?.location ? { location: running.location } : {}) },
  );
}

const reasons: Readonly<
  Record<
    Exclude<Verdict, 'undecided'>,
    { message(subject: string, seconds: number): string; readonly nextStep: string }
  >
> = {
  loop: {
    message: (subject, seconds) => `${subject} used ${seconds} seconds of processor time without a pause.`,
    nextStep: 'Look for an endless loop or long synchronous work in what you saved last.',
  },
  wait: {
    message: (subject, seconds) => `${subject} stopped its thread for ${seconds} seconds and computed nothing.`,
    nextStep: 'Look for Atomics.wait or another wait that stops the thread; await a promise instead.',
  },
  native: {
    message: (_subject, seconds) =>
      `A native function that the customization code called took longer than ${seconds} seconds.`,
    nextStep:
      'Look for a synchronous child process, synchronous cryptography or a long query through a synchronous driver; use the asynchronous form.',
  },
};

export function exited(): CloudError {
  return cloudError(
    'CUSTOMIZATION_EXITED',
    'The customization code ended its worker.',
    'Remove process.exit() from the customization code; throw an error instead.',
  );
}

export function stopped(): CloudError {
  return cloudError('CUSTOMIZATION_EXITED', 'The worker was stopped before it answered.', 'Start it again.');
}

/** @param running what threw, where the worker has told. */
export function crashed(cause: Error, running?: RunningCode): CloudError {
  const { subject, location } = running ?? {};
  return cloudError(
    'CUSTOMIZATION_EXITED',
    `An error that nothing caught ended the worker${subject === undefined ? '' : `, in code of ${lowerFirst(subject)}`}: ${cause.message}`,
    'Catch it where it is thrown; a rejected promise that nobody awaits ends the worker too.',
    { ...(location ? { location } : {}), cause },
  );
}

function lowerFirst(subject: string): string {
  return subject.charAt(0).toLowerCase() + subject.slice(1);
}
