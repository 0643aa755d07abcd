import type { QueryContext } from '../../data-sources/interface/data-source.ts';
import type { CallContext } from './call-context.ts';

/** The context of a query on `collection` for a call; without a collection, of something that concerns none. */
export function queryContext(
  { caller, signal, deleted }: CallContext,
  collection?: { readonly name: string },
): QueryContext {
  const shown = deleted && deleted.collection === collection?.name ? deleted.choice : undefined;
  return { timezone: caller.timezone, signal, deleted: shown };
}

/** The same call for other collections and for related records: these hide deleted records. */
export function callOfOthers(call: CallContext): CallContext {
  return call.deleted ? { ...call, deleted: undefined } : call;
}
