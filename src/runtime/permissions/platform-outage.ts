import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';

/** How long nobody asks again, so that not every request waits for a platform that is away. */
const restMs = 5_000;

/** Whether the platform is away. */
export interface Outage {
  /** The reason why the platform was away a moment ago; `undefined` when it was not. */
  current(): CloudError | undefined;
  began(reason: CloudError): void;
  ended(): void;
  /** A last known document took the place of an answer. The log says so once for each outage. */
  bridged(): void;
}

export function createOutage(clock: Clock, logger: Logger): Outage {
  let away: { readonly reason: CloudError; readonly untilMs: number } | undefined;
  let isTold = false;
  return {
    current: () => (away && clock.monotonicMs() < away.untilMs ? away.reason : undefined),
    began: (reason) => {
      away = { reason, untilMs: clock.monotonicMs() + restMs };
    },
    ended: () => {
      if (isTold) logger.log('Info', 'The platform answers again; permissions are up to date.');
      away = undefined;
      isTold = false;
    },
    bridged: () => {
      if (isTold) return;
      isTold = true;
      logger.log('Warn', 'The platform cannot be reached; permissions are those it gave last.', {
        error: away?.reason,
      });
    },
  };
}

/** Whether the platform did not answer. A refusal is an answer, and so is a response that no platform gives. */
export function isAway(error: unknown): error is CloudError {
  if (!isCloudError(error)) return false;
  if (['PLATFORM_UNREACHABLE', 'PLATFORM_TIMEOUT', 'PLATFORM_BUSY'].includes(error.code)) return true;
  const { status } = error.safeDetails;
  return error.code === 'PLATFORM_FAILED' && typeof status === 'number' && status >= 500;
}

export function tooSlow(): CloudError {
  return cloudError(
    'PLATFORM_TIMEOUT',
    'The platform takes too long to say what is allowed.',
    'Try again in a moment.',
  );
}
