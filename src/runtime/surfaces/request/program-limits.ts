import type { AgentTokenClaims } from '#contracts/agent-token';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Clock } from '#kernel/ports/clock';
import type { ClientLimits } from '../../permissions/client-rules.ts';
import { createRateCounter, type RateCounter } from './rate-counter.ts';

const hourSeconds = 3600;

/** Bounds what a program does for a person, on every surface of an agent together. Each process of the agent counts for itself. */
export class ProgramLimits {
  readonly #counter: RateCounter;

  constructor(clock: Clock) {
    this.#counter = createRateCounter(clock);
  }

  /**
   * Count a request that writes.
   *
   * @throws `REQUEST_FORBIDDEN` for a program that may not write at all, `MCP_LIMIT_REACHED` with `retryAfterSeconds` in its details.
   */
  takeWrite({ id, client }: Pick<AgentTokenClaims, 'id' | 'client'>, limits: ClientLimits | undefined): void {
    const quota = limits?.writesPerHour;
    if (quota === undefined) return;
    if (quota === 0) throw mayNotWrite();
    const policy = { name: 'program writes', quota, windowSeconds: hourSeconds };
    const waitSeconds = this.#counter.take([{ policy, key: `${id} ${client?.id} ${client?.grant}` }]);
    if (waitSeconds !== undefined) throw limitReached(quota, waitSeconds);
  }
}

/** Throws `REQUEST_INVALID` for a request about more records than the program may use in one. */
export function requireFewRecords(records: number, limits: ClientLimits | undefined): void {
  const most = limits?.recordsPerCall;
  if (most === undefined || records <= most) return;
  throw invalidRequest(
    `This program may use at most ${most} records in one call, and asks for ${Number.isFinite(records) ? records : 'any number'}.`,
    'Ask for fewer: a smaller page, or several calls with a part of the records each.',
  );
}

function mayNotWrite(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'This program may not write for you.',
    'Ask an administrator of the project to allow it, or make the change yourself.',
  );
}

function limitReached(quota: number, retryAfterSeconds: number): CloudError {
  return cloudError(
    'MCP_LIMIT_REACHED',
    `This program may write ${quota} times an hour, and has done so.`,
    `Wait ${retryAfterSeconds} s, then make the call again.`,
    { details: { retryAfterSeconds } },
  );
}
