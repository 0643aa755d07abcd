import { type Reason, whyUnanswered } from '../http/http-errors.ts';

/** What may be said of an error of S3: its texts may name keys, signatures and hosts. */
export interface S3ErrorFacts {
  /** The code of the error; `Error` where it is not a word. */
  readonly name: string;
  /** Of the answer; `undefined` where none came. */
  readonly status: number | undefined;
  /** Why no answer came; `undefined` where one did, or where the client has not asked. */
  readonly unanswered: Reason | undefined;
}

const bucketAddress = 'the endpoint of the bucket';
const late: Reason = { why: 'it gave no answer in time', step: 'Try again in a moment.' };

export function s3ErrorFacts(error: unknown): S3ErrorFacts {
  const { name, code, $metadata } = error as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  const isTimeout = name === 'TimeoutError' || name === 'AbortError';
  const unansweredBecause = () => {
    if (typeof code === 'string') return whyUnanswered(error, bucketAddress);
    return isTimeout ? late : undefined;
  };
  return {
    // The code of an error of S3 is a word; anything else is not told.
    name: typeof name === 'string' && /^\w{1,60}$/.test(name) ? name : 'Error',
    status,
    unanswered: status === undefined ? unansweredBecause() : undefined,
  };
}
