import type {
  KeptValues,
  MissingValuesReason,
  RecordedWrite,
  RecordHistory,
  RecordHistoryQuery,
  ShownHistory,
  ShownWrite,
  UnkeptFieldReason,
} from '#contracts/history';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import type { Act, ActReporter } from '../../activity/act-reporter.ts';
import {
  type CompiledCollection,
  type CompiledModel,
  columnOf,
  isValueField,
  type ValueField,
} from '../../model/compiled-model.ts';
import { conditionOfKeys, recordNotFound, unpackId } from '../../model/record-id.ts';
import type { ShownRights } from '../../permissions/authoriser.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { CallContext } from '../../records/calls/call-context.ts';
import type { AgentState } from './agent-state.ts';

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

interface RecordOfHistory {
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
   * Take one write back, as a write of the caller. Rejects with `RECORD_CHANGED` where the record is not as the write left it, and with
   * `REQUEST_UNPROCESSABLE` where not all of it can be taken back.
   */
  undo(order: UndoOrder, call: HistoryCall): Promise<Undone>;
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
    undo: async (order, call) => {
      const { sequence } = order;
      await requireAccess(order, () => historyOf(order, { limit: 1 }), call);
      const [write] = (await historyOf(order, { before: sequence + 1, limit: 1 })).writes;
      if (write?.sequence !== sequence) throw noSuchWrite(order);
      const { act, run, undone } = prepareUndo(write, order, call);
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

/** The fields of a collection that the caller sees, by the names that values are kept under. */
class ShownFields {
  readonly #model: CompiledModel;
  readonly #collection: CompiledCollection;

  constructor(model: CompiledModel, collection: CompiledCollection) {
    this.#model = model;
    this.#collection = collection;
  }

  /** `undefined` for a field that the caller may not know of, and for one that there is no more. */
  of(original: string): ValueField | undefined {
    const { names } = this.#model;
    const { name, fields } = this.#collection;
    const field = fields.get(names.publishedName(name, original));
    const isSame = field && names.originalPath(name, field.name) === original;
    return isSame && isValueField(field) ? field : undefined;
  }

  isMasked({ name }: ValueField): boolean {
    return this.#collection.limits.get(name)?.mask !== undefined;
  }

  /** Whether a request of the caller may give it a value. */
  isWritable(field: ValueField | undefined): boolean {
    return field !== undefined && !columnOf(field).isReadOnly && !this.isMasked(field);
  }

  readOnly(): string[] {
    const fields = [...this.#collection.fields.values()].filter(isValueField);
    return fields.filter((field) => columnOf(field).isReadOnly).map(({ name }) => name);
  }

  /** Whether deletion marks the records, so that they come back as they were. */
  get areMarked(): boolean {
    return Boolean(this.#collection.native.softDelete);
  }

  /** Whether a record can be made again under its key. */
  get isKeyGiven(): boolean {
    const { primaryKey, fields } = this.#collection;
    return primaryKey.every((key) => {
      const field = fields.get(key);
      return field && isValueField(field) && this.isWritable(field);
    });
  }

  /** Whether the caller may write what takes a write back, as far as no record says otherwise. */
  mayUndo(action: string, rights: ShownRights): boolean {
    if (!isUndoable(action)) return false;
    const right = action === 'delete' && this.areMarked ? 'delete' : rightsOfUndo[action];
    return rights.has(this.#collection.name, right);
  }

  names(published: readonly string[]): string[] {
    return published.filter((name) => this.#collection.fields.has(name));
  }

  /** Values by published names, masked where the caller sees a mask. */
  shown(values: RecordData): RecordData {
    return this.#mapped(values, (field, value) => {
      const mask = this.#collection.limits.get(field.name)?.mask;
      return mask ? mask(value) : value;
    });
  }

  /** The same of what a request may write. */
  writable(values: RecordData): RecordData {
    return this.#mapped(values, (field, value) => (this.isWritable(field) ? value : undefined));
  }

  #mapped(values: RecordData, shownAs: (field: ValueField, value: unknown) => unknown): RecordData {
    return Object.fromEntries(
      Object.entries(values).flatMap(([original, value]) => {
        const field = this.of(original);
        const shown = field && shownAs(field, value);
        return field && shown !== undefined ? [[field.name, shown] as const] : [];
      }),
    );
  }
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

const undoable = ['create', 'update', 'delete'] as const;
type Undoable = (typeof undoable)[number];

/** The right that an undo needs. */
const rightsOfUndo = { create: 'delete', update: 'edit', delete: 'add' } as const;

function isUndoable(action: string): action is Undoable {
  return undoable.some((each) => each === action);
}

/** Why the caller cannot take a write back; `undefined` where nothing is known to be in the way. */
function obstacle(write: RecordedWrite, fields: ShownFields): string | undefined {
  const { action, status, values } = write;
  if (!isUndoable(action)) return 'only creations, updates and deletions can be taken back';
  if (status !== 'completed' || !values) return 'its values are not kept';
  const names = Object.keys({ ...values.before, ...values.after });
  if (names.some((name) => !fields.of(name))) return 'it is about fields that your rights do not show';
  if (names.length === 0 && Object.keys(values.unkept).length === 0) return 'it changed nothing';
  if (action === 'update' && Object.keys(values.unkept).length > 0) return 'not all of its values are kept';
  const masked = names.flatMap((name) => fields.of(name) ?? []).filter((field) => fields.isMasked(field));
  if (masked.length > 0) return `${masked.map(({ name }) => `"${name}"`).join(', ')} is shown to you masked`;
  if (action === 'delete' && !fields.areMarked && !fields.isKeyGiven)
    return 'the database gives the key of a new record itself';
  const writable = names.filter((name) => fields.isWritable(fields.of(name)));
  return action === 'update' && writable.length === 0 ? 'its fields are read-only' : undefined;
}

interface PreparedUndo {
  readonly undone: Undoable;
  readonly act: Pick<Act, 'action' | 'recordIds'>;
  readonly run: (context: CallContext) => Promise<unknown>;
}

function prepareUndo(write: RecordedWrite, order: UndoOrder, { state }: HistoryCall): PreparedUndo {
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
  if (action === 'update') {
    const run = async (context: CallContext) => {
      const record = await recordService.update(name, () => unpackId(collection, id), before, context, after);
      if (!record) throw recordNotFound(collection);
    };
    return { undone: action, act: { action: 'update', recordIds }, run };
  }
  if (action === 'create') {
    const where = () => conditionOfKeys(collection.primaryKey, [unpackId(collection, id)]);
    const run = async (context: CallContext) => {
      if ((await recordService.delete(name, where, context, after)) === 0) throw recordNotFound(collection);
    };
    return { undone: action, act: { action: 'delete', recordIds }, run };
  }
  if (fields.areMarked) {
    const run = (context: CallContext) => recordService.restore(name, () => unpackId(collection, id), context);
    return { undone: action, act: { action: 'update', recordIds }, run };
  }
  if (!acceptsLoss) requireWhole(values, order, fields);
  return { undone: action, act: { action: 'create' }, run: (context) => recordService.create(name, before, context) };
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

function noSuchWrite({ collection, id, sequence }: UndoOrder): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `The history of the record ${id} of "${collection.name}" has no row ${sequence}.`,
    'Look at the history of the record.',
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
