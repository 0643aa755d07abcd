import type {
  MissingValuesReason,
  RecordedWrite,
  RecordHistory,
  RecordHistoryQuery,
  ShownHistory,
  ShownWrite,
  UndoTies,
  UnkeptFieldReason,
} from '#contracts/history';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ActReporter } from '../../activity/act-reporter.ts';
import { type CompiledCollection, type CompiledModel, isValueField } from '../../model/compiled-model.ts';
import { unpackId } from '../../model/record-id.ts';
import type { ShownRights } from '../../permissions/authoriser.ts';
import type { CallContext } from '../../records/calls/call-context.ts';
import type { AgentState } from './agent-state.ts';
import { obstacle, ShownFields } from './history-fields.ts';
import { type PreparedUndo, prepareUndo, type RecordOfHistory, requireUntied, type UndoOrder } from './prepare-undo.ts';

/** The part of the platform that keeps what was written to records. */
export interface HistoryPlatform {
  recordHistory(query: RecordHistoryQuery): Promise<RecordHistory>;
}

/** Somebody who looks at a record, or undoes a write to it. */
interface HistoryCall {
  /** What they are answered with. */
  readonly state: AgentState;
  readonly context: CallContext;
}

/** What was taken back, and the record that it is about. */
interface Undone {
  readonly undone: 'create' | 'update' | 'delete';
  readonly collection: string;
  readonly recordId: string;
}

/** Histories of records, by the rights of whoever asks. */
export interface RecordHistories {
  /** Rejects with `REQUEST_NOT_FOUND` for a record that the caller may not read. */
  read(
    record: RecordOfHistory,
    page: Pick<RecordHistoryQuery, 'before' | 'limit'>,
    call: HistoryCall,
  ): Promise<ShownHistory>;
  /**
   * Take one write back, as a write of the caller. Rejects with `RECORD_CHANGED` where the record is not as the write left it. Rejects with
   * `REQUEST_CONFLICT` where other records lead to one that the undo would delete, and with `REQUEST_UNPROCESSABLE` where not all of it can
   * be taken back.
   */
  undo(order: UndoOrder, call: HistoryCall): Promise<Undone>;
  /** What foreign keys of the database have to do with an undo, as far as the caller may know it. Rejects with what `undo` rejects with. */
  ties(order: Omit<UndoOrder, 'acceptsLoss'>, call: HistoryCall): Promise<UndoTies>;
}

/** @param reporter reports what is undone. */
export function createRecordHistories(platform: HistoryPlatform, reporter: ActReporter): RecordHistories {
  const historyOf = ({ collection, id }: RecordOfHistory, page: Pick<RecordHistoryQuery, 'before' | 'limit'>) =>
    platform.recordHistory({ collection: collection.name, recordId: id, ...page });
  const requireAccess = (record: RecordOfHistory, newest: () => Promise<RecordHistory>, call: HistoryCall) => {
    const { collection, id } = record;
    const lastValues = async () => {
      const [last] = (await newest()).writes;
      return last?.action === 'delete' && last.status === 'completed' ? (last.values?.before ?? undefined) : undefined;
    };
    return call.state.recordService.requireHistory(
      collection.name,
      () => unpackId(collection, id),
      lastValues,
      call.context,
    );
  };
  const prepared = async (
    order: UndoOrder,
    call: HistoryCall,
  ): Promise<PreparedUndo & { readonly write: RecordedWrite }> => {
    const { sequence } = order;
    await requireAccess(order, () => historyOf(order, { limit: 1 }), call);
    const [write] = (await historyOf(order, { before: sequence + 1, limit: 1 })).writes;
    if (write?.sequence !== sequence) throw noSuchWrite(order);
    return { ...prepareUndo(write, order, call.state), write };
  };
  return {
    read: async (record, page, call) => {
      const history = once(() => historyOf(record, page));
      await requireAccess(record, page.before === undefined ? history : () => historyOf(record, { limit: 1 }), call);
      const { writes, next } = await history();
      const { collection } = record;
      const { model, authoriser } = call.state;
      const shown = new ShownFields(model, collection);
      const rights = await authoriser.rightsOf(call.context.caller);
      const named = writes.map((write) => withShownLabel(write, collection, model, rights));
      const rows = named.map((write) => shownWrite(write, shown, rights));
      const readOnly = shown.readOnly();
      return {
        isKept: collection.keepsHistory,
        writes: rows,
        ...(readOnly.length > 0 ? { readOnly } : {}),
        next,
      };
    },
    ties: async (order, call) => {
      const { ties } = await prepared({ ...order, acceptsLoss: true }, call);
      return ties(call.context);
    },
    undo: async (order, call) => {
      const { write, act, run, undone, ties } = await prepared(order, call);
      requireUntied(order, await ties(call.context));
      const { caller } = call.context;
      const by = { source: 'rest', claims: caller, correlationId: caller.requestId, model: call.state.model } as const;
      const { collection, id } = order;
      await reporter.carryOut({ ...act, label: 'undo', undoes: write.id, collection: collection.name }, by, (notes) =>
        run({ ...call.context, notes }),
      );
      return { undone, collection: collection.name, recordId: id };
    },
  };
}

function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let begun: Promise<Result> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}

const unkeptWords: Readonly<Record<UnkeptFieldReason, string>> = {
  binary: 'Bytes are not kept.',
  long: 'The value is too long to be kept.',
  secret: 'The field looks like a secret by its name.',
  hidden: 'The project hid the field.',
  inexact: 'JSON cannot say what the database stores.',
};

const missingWords: Readonly<Record<MissingValuesReason, string>> = {
  tooMany: 'Values were not kept: the write was about too many records, or too much text.',
  override: 'Values were not kept: code of the project writes in the place of the database.',
  changedMeanwhile: 'Values were not kept: somebody else wrote the record at the same moment.',
  erased: 'The values were erased.',
  unreadable: 'The platform has another key now, and cannot read the values.',
};

/** Of a write that links records: the relation, and the collection whose relation it is. */
const linkLabel = /^(?:associate|dissociate|link) (.+?)(?: of (.+))?$/;

/** A write without the name of an action or a relation that the schema does not show to the caller either. */
function withShownLabel(
  { label, ...write }: RecordedWrite,
  { name }: CompiledCollection,
  { collections }: CompiledModel,
  rights: ShownRights,
): RecordedWrite {
  if (label === undefined) return write;
  const [, relation, near = name] = linkLabel.exec(label) ?? [];
  const field = relation === undefined ? undefined : collections.get(near)?.fields.get(relation);
  const isLinkSeen =
    field !== undefined &&
    !isValueField(field) &&
    [near, field.foreignCollection].every((each) => rights.has(each, 'read'));
  const isSeen = write.action === 'action' ? rights.mayTrigger(name, label) : relation === undefined || isLinkSeen;
  return isSeen ? { ...write, label } : write;
}

function problemOf({ action, label, status, values, missing }: RecordedWrite): string | undefined {
  if (values) return undefined;
  if (missing) return missingWords[missing];
  if (status === 'pending') return 'The agent ended before it knew whether this was done.';
  if (action === 'action') return 'Actions run code of the project. What that writes is not followed.';
  if (linkLabel.test(label ?? '')) return 'Values of links are not kept.';
  return 'Values were not kept.';
}

function shownWrite(write: RecordedWrite, fields: ShownFields, rights: ShownRights): ShownWrite {
  const { values, missing: _missing, ...facts } = write;
  const unkept = Object.entries(values?.unkept ?? {}).flatMap(([name, reason]) => {
    const field = fields.of(name);
    return field ? [[field.name, unkeptWords[reason]] as const] : [];
  });
  const problem = problemOf(write);
  return {
    ...facts,
    fields: fields.names(write.fields),
    ...(values
      ? { before: values.before && fields.shown(values.before), after: values.after && fields.shown(values.after) }
      : {}),
    unkept: Object.fromEntries(unkept),
    ...(problem === undefined ? {} : { problem }),
    isUndoable: obstacle(write, fields) === undefined && fields.mayUndo(write.action, rights),
    ...(isLossy(write, fields) ? { isLossy: true } : {}),
  };
}

function isLossy({ action, values }: RecordedWrite, fields: ShownFields): boolean {
  return action === 'delete' && !fields.areMarked && Object.keys(values?.unkept ?? {}).length > 0;
}

function noSuchWrite({ collection, id, sequence }: UndoOrder): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `The history of the record ${id} of "${collection.name}" has no row ${sequence}.`,
    'Look at the history of the record.',
  );
}
