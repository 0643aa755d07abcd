import type { QueryContext } from '../../data-sources/interface/data-source.ts';
import type { CallContext } from './call-context.ts';

/** What a call says to a query of `collection`; without one, to what is about no collection. */
export function queryContext(
  { caller, signal, deleted }: CallContext,
  collection?: { readonly name: string },
): QueryContext {
  const shown = deleted && deleted.collection === collection?.name ? deleted.choice : undefined;
  return { timezone: caller.timezone, signal, deleted: shown };
}

/** The call for what is read beside the records that a request asks for, such as related ones: without deleted records. */
export function callOfOthers(call: CallContext): CallContext {
  return call.deleted ? { ...call, deleted: undefined } : call;
}
