import type { CallContext } from '../calls/call-context.ts';
import { queryContext } from '../calls/query-context.ts';
import { inUnitOfWork } from '../calls/unit-of-work.ts';

/** Run `work` in the transactions of the call; in new ones, which end with it, when the call has none. */
export function inUnitOfCall<Result>(
  call: CallContext,
  work: (inside: CallContext) => Promise<Result>,
): Promise<Result> {
  if (call.unit) return work(call);
  return inUnitOfWork(queryContext(call), (unit) => work({ ...call, unit }));
}
