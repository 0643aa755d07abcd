import type { CallContext } from '../call-context.ts';
import { queryContext } from '../read/list-records.ts';
import { inUnitOfWork } from './unit-of-work.ts';

/** Run `work` in the transactions of the call; in new ones, which end with it, when the call has none. */
export function inUnitOfCall<Result>(
  call: CallContext,
  work: (inside: CallContext) => Promise<Result>,
): Promise<Result> {
  if (call.unit) return work(call);
  return inUnitOfWork(queryContext(call), (unit) => work({ ...call, unit }));
}
