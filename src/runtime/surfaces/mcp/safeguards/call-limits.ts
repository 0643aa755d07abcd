import { CloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Clock } from '#kernel/ports/clock';
import type { RatePolicy } from '#kernel/rates/rate-policy';
import { createRateCounter } from '../../request/rate-counter.ts';

/** What one person may do through one client. */
export interface McpLimits {
  /** Default 600. `null` for any number. */
  readonly callsPerMinute: number | null;
  /** How many of the calls may write or run an action. Default 60. `null` for any number. */
  readonly writesPerMinute: number | null;
  /** How many records one call may name to change them. Default 1,000. */
  readonly recordsPerCall: number;
}

export const defaultMcpLimits: McpLimits = { callsPerMinute: 600, writesPerMinute: 60, recordsPerCall: 1_000 };

/** The limits, and how much of them is used. Each process of the agent counts for itself. */
export interface CallLimits {
  /** Count a call. Throws `MCP_LIMIT_REACHED`, with `retryAfterSeconds` in its details. */
  take(caller: string, isWrite: boolean): void;
  /** Throws `REQUEST_INVALID` for a call that names too many records. */
  requireFew(records: number): void;
}

export function createCallLimits(limits: McpLimits, clock: Clock): CallLimits {
  const reads = ratePolicy('calls', limits.callsPerMinute);
  const writes = ratePolicy('writes', limits.writesPerMinute);
  const counter = createRateCounter(clock);
  return {
    take: (caller, isWrite) => {
      const policies = [reads, isWrite ? writes : undefined].filter((policy) => policy !== undefined);
      const waitSeconds = counter.take(policies.map((policy) => ({ policy, key: caller })));
      if (waitSeconds !== undefined) throw limitReached(waitSeconds);
    },
    requireFew: (records) => {
      if (records <= limits.recordsPerCall) return;
      throw invalidRequest(
        `The call names ${records} records; one call changes at most ${limits.recordsPerCall}.`,
        'Make several calls, each with a part of the records.',
      );
    },
  };
}

function ratePolicy(name: string, quota: number | null): RatePolicy | undefined {
  return quota === null ? undefined : { name, quota, windowSeconds: 60 };
}

function limitReached(retryAfterSeconds: number): CloudError {
  return new CloudError({
    code: 'MCP_LIMIT_REACHED',
    message: 'You have made more calls within a minute than this server allows.',
    nextSteps: [`Wait ${retryAfterSeconds} s, then make the call again.`],
    details: { retryAfterSeconds },
  });
}
