import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Clock } from '#kernel/ports/clock';
import type { RatePolicy } from '#kernel/rates/rate-policy';
import { createRateCounter } from '../../request/rate-counter.ts';

/** What one person may do through one client. */
export interface McpLimits {
  /** Requests of every kind; more are answered with 429. Default 600. `null` for any number. */
  readonly callsPerMinute: number | null;
  /** Calls of tools that write or run an action; more are refused as errors of the tool. Default 60. `null` for any number. */
  readonly writesPerMinute: number | null;
  /** How many records one call may name to change them. Default 1,000. */
  readonly recordsPerCall: number;
  /**
   * How many records one call may give to an assistant that has read what people outside can write, before its person is asked. Default 25.
   * `null` for any number.
   */
  readonly markedRecordsPerCall: number | null;
  /** How many since it has read that. Default 250. `null` for any number. */
  readonly markedRecords: number | null;
}

export const defaultMcpLimits: McpLimits = {
  callsPerMinute: 600,
  writesPerMinute: 60,
  recordsPerCall: 1_000,
  markedRecordsPerCall: 25,
  markedRecords: 250,
};

/** One person with one client. */
interface LimitedCaller {
  readonly userId: number;
  readonly clientId: string;
}

/** The limits, and how much of them is used. Each process of the agent counts for itself. */
export interface CallLimits {
  /** Count a request. Throws `MCP_LIMIT_REACHED`, with `retryAfterSeconds` in its details. */
  takeCall(caller: LimitedCaller): void;
  /** Count a call of a tool that writes, in the same way. */
  takeWrite(caller: LimitedCaller): void;
  /** Throws `REQUEST_INVALID` for a call that names too many records. */
  requireFew(records: number): void;
}

export function createCallLimits(limits: McpLimits, clock: Clock): CallLimits {
  const calls = ratePolicy('calls', limits.callsPerMinute);
  const writes = ratePolicy('writes', limits.writesPerMinute);
  const counter = createRateCounter(clock);
  const take = (policy: RatePolicy | undefined, { userId, clientId }: LimitedCaller) => {
    const waitSeconds = policy && counter.take([{ policy, key: `${userId} ${clientId}` }]);
    if (waitSeconds !== undefined) throw limitReached(waitSeconds);
  };
  return {
    takeCall: (caller) => take(calls, caller),
    takeWrite: (caller) => take(writes, caller),
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
  return cloudError(
    'MCP_LIMIT_REACHED',
    'You have made more calls within a minute than this server allows.',
    `Wait ${retryAfterSeconds} s, then make the call again.`,
    { details: { retryAfterSeconds } },
  );
}
