import { CloudError } from '#kernel/errors/cloud-error';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import type { CallContext } from '../calls/call-context.ts';

/** Throws `REQUEST_INVALID` where a call asks for the deleted records of a collection whose records deletion removes. */
export function requireSoftDeletes({ name, native }: CompiledCollection, { deleted }: CallContext): void {
  if (deleted?.collection !== name || native.softDelete) return;
  throw new CloudError({
    code: 'REQUEST_INVALID',
    message: `Deletion removes the records of "${name}"; there are no deleted ones.`,
    nextSteps: [
      'Leave out the "deleted" parameter.',
      'Set "softDelete" of the data source, so that deletion marks records.',
    ],
    details: { parameter: 'deleted' },
  });
}
