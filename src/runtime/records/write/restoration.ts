import type { CompiledCollection } from '../../model/compiled-model.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';

/** How deleted records of a collection are restored: an update with `patch`, by a call that sees nothing but deleted records. */
interface Restoration {
  readonly patch: RecordData;
  readonly call: CallContext;
}

/** `undefined` where deletion removes records. */
export function restorationOf({ name, native }: CompiledCollection, call: CallContext): Restoration | undefined {
  const { softDelete } = native;
  if (!softDelete) return undefined;
  return { patch: { [softDelete.column]: null }, call: { ...call, deleted: { collection: name, choice: 'only' } } };
}
