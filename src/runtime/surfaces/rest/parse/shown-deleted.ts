import { invalidRequest } from '#kernel/errors/request-errors';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import type { QueryParameters } from '../../request/query-parameters.ts';

/**
 * The context of a request for records of `collection`, with the deleted ones when `deleted=only` or `deleted=with` asks
 * for them.
 */
export function contextWithDeleted(
  context: CallContext,
  { name }: CompiledCollection,
  { deleted }: QueryParameters,
): CallContext {
  if (!deleted || deleted === 'without') return context;
  if (deleted === 'only' || deleted === 'with') return { ...context, deleted: { collection: name, choice: deleted } };
  throw invalidRequest(
    `The parameter "deleted" cannot be "${deleted}".`,
    'Send deleted=only, deleted=with, or leave it out.',
  );
}
