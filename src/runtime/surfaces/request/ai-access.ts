import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { AiService } from '../../ai/ai-service.ts';
import type { Caller } from '../../customizer/caller.ts';
import type { RateCounter } from './rate-counter.ts';

/** The AI features of an agent, with the limit of each person. */
export interface AiAccess {
  readonly service: AiService;
  /** Count a call. Throws `AI_LIMIT_REACHED`, with `retryAfterSeconds` in its details. */
  take(caller: Caller): void;
}

/** @param counter Outlives the model, so that a reload gives nobody more calls. */
export function createAiAccess(service: AiService, counter: RateCounter): AiAccess {
  const { callsPerMinute } = service;
  const policy = callsPerMinute === null ? undefined : { name: 'ai', quota: callsPerMinute, windowSeconds: 60 };
  return {
    service,
    take: ({ id }) => {
      const waitSeconds = policy && counter.take([{ policy, key: String(id) }]);
      if (waitSeconds !== undefined) throw limitReached(waitSeconds);
    },
  };
}

function limitReached(retryAfterSeconds: number): CloudError {
  return cloudError(
    'AI_LIMIT_REACHED',
    `You have used the AI features too often within a minute. Try again in ${retryAfterSeconds} s.`,
    `Ask again after ${retryAfterSeconds} s.`,
    { details: { retryAfterSeconds } },
  );
}
