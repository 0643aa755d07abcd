import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { UnfinishedBodyLimits } from './request-bodies.ts';

/** How much the agent takes on at once. */
export interface RequestLimits extends UnfinishedBodyLimits {
  /** Requests in progress, whose bodies have arrived; further ones are asked to come again. */
  readonly concurrentRequests: number;
  /** Milliseconds until a body has to have arrived and an answer has to begin; then the request is given up, in the database too. */
  readonly requestTimeoutMs: number;
  /** Seconds a minute that the requests of one person over a quarter of a second may take, all together; `null` for no bound. */
  readonly slowSecondsPerMinute: number | null;
  /** Bytes of a JSON answer. Files and exports are sent as they are read, and have no bound. */
  readonly maxResponseSize: number;
}

export const defaultRequestLimits: RequestLimits = {
  concurrentRequests: 1_000,
  requestTimeoutMs: 120_000,
  slowSecondsPerMinute: 120,
  maxResponseSize: 64 * 1024 * 1024,
  unfinishedBodies: 500,
  unfinishedBodiesPerAddress: 100,
};

/** Runs out when a request has taken too long. */
export interface Deadline {
  /** The result of `work`; rejects with `REQUEST_TIMEOUT` when time is up first. */
  before<Result>(work: Promise<Result>): Promise<Result>;
  /** Stop the timer: there is an answer, or the client no longer waits for one. */
  end(): void;
}

/** @param onLate called once, when time is up; `isAwaited` says whether something waits in `before`, and is reported. */
export function startDeadline(timeoutMs: number, onLate: (isAwaited: boolean) => void): Deadline {
  let isLate = false;
  let giveUp: ((error: CloudError) => void) | undefined;
  const timer = setTimeout(() => {
    isLate = true;
    giveUp?.(timedOut(timeoutMs));
    onLate(giveUp !== undefined);
  }, timeoutMs);
  timer.unref();
  return {
    before: (work) =>
      new Promise((resolve, reject) => {
        if (isLate) reject(timedOut(timeoutMs));
        giveUp = reject;
        work.then(resolve, reject);
      }),
    end: () => clearTimeout(timer),
  };
}

export function tooManyRequests(concurrentRequests: number): CloudError {
  return cloudError(
    'AGENT_BUSY',
    `The agent has ${concurrentRequests} requests in progress, and takes no more at once.`,
    'Send the request again in a moment.',
  );
}

export function timedOut(timeoutMs: number): CloudError {
  return cloudError(
    'REQUEST_TIMEOUT',
    `The request took longer than ${timeoutMs} ms and was given up.`,
    'Ask for less at once, or filter more.',
  );
}

export function bodyLate(timeoutMs: number): CloudError {
  return cloudError(
    'REQUEST_INCOMPLETE',
    `The body of the request did not arrive within ${timeoutMs} ms.`,
    'Send the request again, with its whole body.',
  );
}

/** A body that is JSON already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of an answer. Throws `REQUEST_UNPROCESSABLE` where it has more bytes than may be sent. */
export function boundedJson(payload: unknown, maxBytes: number): string {
  const text = payload instanceof JsonText ? payload.text : JSON.stringify(payload);
  // One UTF-16 unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  throw cloudError(
    'REQUEST_UNPROCESSABLE',
    `The answer would have more than ${maxBytes} bytes.`,
    'Ask for fewer records or fields at once.',
  );
}
