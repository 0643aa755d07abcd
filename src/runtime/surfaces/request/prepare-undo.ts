import type { KeptValues, RecordedWrite, UndoTies } from '#contracts/history';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import type { Act } from '../../activity/act-reporter.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { conditionOfKeys, recordNotFound, unpackId } from '../../model/record-id.ts';
import type { CallContext } from '../../records/calls/call-context.ts';
import type { AgentState } from './agent-state.ts';
import { isUndoable, obstacle, ShownFields, type Undoable } from './history-fields.ts';

export interface RecordOfHistory {
  readonly collection: CompiledCollection;
  /** Packed. */
  readonly id: string;
}

export interface UndoOrder extends RecordOfHistory {
  /** The row of the write in the log. */
  readonly sequence: number;
  /** Whether a deleted record may come back without the values that are not kept. */
  readonly acceptsLoss: boolean;
}

export interface PreparedUndo {
  readonly undone: Undoable;
  readonly act: Pick<Act, 'action' | 'recordIds'>;
  readonly run: (context: CallContext) => Promise<unknown>;
  /** What foreign keys of the database have to do with it. */
  readonly ties: (context: CallContext) => Promise<UndoTies>;
}

/** Throws `REQUEST_UNPROCESSABLE` where not all of the write can be taken back. */
export function prepareUndo(write: RecordedWrite, order: UndoOrder, state: AgentState): PreparedUndo {
  const { collection, id, acceptsLoss } = order;
  const { recordService, model } = state;
  const { name } = collection;
  const fields = new ShownFields(model, collection);
  const reason = obstacle(write, fields);
  const { action, values } = write;
  if (reason !== undefined || !isUndoable(action) || !values)
    throw notUndoable(order, reason ?? 'its values are not kept');
  const before = fields.writable(values.before ?? {});
  const after = fields.writable(values.after ?? {});
  const recordIds = [id];
  const tiesOfValues = (right: 'add' | 'edit') => async (context: CallContext) => ({
    referring: [],
    targets: await recordService.targetsOf(name, before, right, context),
  });
  if (action === 'update') {
    const run = async (context: CallContext) => {
      const record = await recordService.update(name, () => unpackId(collection, id), before, context, after);
      if (!record) throw recordNotFound(collection);
    };
    return { undone: action, act: { action: 'update', recordIds }, run, ties: tiesOfValues('edit') };
  }
  if (action === 'create') {
    const where = () => conditionOfKeys(collection.primaryKey, [unpackId(collection, id)]);
    const run = async (context: CallContext) => {
      if ((await recordService.delete(name, where, context, after)) === 0) throw recordNotFound(collection);
    };
    const ties = async (context: CallContext) => ({
      referring: await recordService.referringTo(name, () => unpackId(collection, id), context),
      targets: [],
    });
    return { undone: action, act: { action: 'delete', recordIds }, run, ties };
  }
  if (fields.areMarked) {
    const run = (context: CallContext) => recordService.restore(name, () => unpackId(collection, id), context);
    const ties = async () => ({ referring: [], targets: [] });
    return { undone: action, act: { action: 'update', recordIds }, run, ties };
  }
  if (!acceptsLoss) requireWhole(values, order, fields);
  const run = (context: CallContext) => recordService.create(name, before, context);
  return { undone: action, act: { action: 'create' }, run, ties: tiesOfValues('add') };
}

/** A deleted record comes back with all its values unless somebody does without some. */
function requireWhole({ unkept }: KeptValues, order: UndoOrder, fields: ShownFields): void {
  const lost = Object.keys(unkept);
  if (lost.length === 0) return;
  const names = lost.flatMap((name) => fields.of(name)?.name ?? []);
  const which = names.length > 0 ? `: ${names.map((name) => `"${name}"`).join(', ')}` : '';
  throw cloudError(
    'REQUEST_UNPROCESSABLE',
    `The record ${order.id} of "${order.collection.name}" had fields whose values are not kept${which}. It would come back without them.`,
    'Send "acceptsLoss": true to have it back without them.',
  );
}

function notUndoable({ collection, id, sequence }: UndoOrder, reason: string): CloudError {
  return unprocessableRequest(
    `The write of row ${sequence} to the record ${id} of "${collection.name}" cannot be undone: ${reason}.`,
    'Look at the history of the record, and write the values yourself.',
  );
}

const whatBecomes = {
  refuse: 'The database keeps it, because these lead to it',
  cascade: 'The database would delete these along',
  unlink: 'These would lose their link to it',
} as const;
const maxNamed = 10;

/** Throws `REQUEST_CONFLICT` where others lead to a record that an undo would delete. */
export function requireUntied({ collection, id }: UndoOrder, { referring }: UndoTies): void {
  const told = referring.flatMap(({ collection: name, rule, recordIds, hasMore }) => {
    if (recordIds.length === 0 && !hasMore) return [];
    const named = recordIds.slice(0, maxNamed).map((each) => `${name} ${each}`);
    const others = hasMore || recordIds.length > maxNamed ? [named.length > 0 ? 'others' : `records of ${name}`] : [];
    return [`${whatBecomes[rule]}: ${[...named, ...others].join(', ')}.`];
  });
  if (told.length === 0) return;
  throw cloudError(
    'REQUEST_CONFLICT',
    `The record ${id} of "${collection.name}" cannot be taken back, because others lead to it. ${told.join(' ')}`,
    'Change or delete the others first, or delete the record yourself.',
    { details: { referring: referring.map((each) => ({ ...each })) } },
  );
}

/** The order that a request gives. */
export function readUndoOrder(attributes: unknown): Pick<UndoOrder, 'sequence' | 'acceptsLoss'> {
  const { sequence, acceptsLoss = false } = (attributes ?? {}) as Readonly<Record<string, unknown>>;
  const isNumber = typeof sequence === 'number' && Number.isSafeInteger(sequence) && sequence > 0;
  if (isNumber && typeof acceptsLoss === 'boolean') return { sequence, acceptsLoss };
  throw invalidRequest(
    'An undo names no row of the log.',
    'Send data.attributes with "sequence", a number of the history, and perhaps "acceptsLoss".',
  );
}

/** The row of the log that a query names. */
export function readSequence(given: string | undefined): number {
  const sequence = Number(given);
  if (Number.isSafeInteger(sequence) && sequence > 0) return sequence;
  throw invalidRequest('The query names no row of the log.', 'Send "sequence", a number of the history.');
}
