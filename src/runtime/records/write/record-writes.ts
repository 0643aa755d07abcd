import type { UnendedWrite } from '../../customizer/write-definition.ts';
import type { TellKeys } from '../../data-sources/interface/data-source.ts';
import { type CompiledCollection, columnOf, isValueField } from '../../model/compiled-model.ts';
import { hasKey, packId } from '../../model/record-id.ts';
import { columnValueProblem } from '../../query/column-value.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import { isRecord } from '../../query/shape-record.ts';
import { callHandler, customizationFailed } from '../../user-code/call-handler.ts';
import { type CallContext, inUnitOfCall, type WriteNotes } from '../calls/call-context.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { hasHooks, runHooks } from '../read/run-hooks.ts';
import { createRecords, deleteRecords, type NestedWrite, updateRecords } from './nested-writes.ts';
import type { WriteTerms } from './store-writes.ts';
import { validateRecord } from './write-attributes.ts';
import { applyWriteHandlers } from './write-handlers.ts';

/** Reports an after-hook that threw. The write is committed, so nothing is undone. */
export type ReportError = (message: string, error: unknown) => void;

/** A write that somebody has asked for, with the right to it. Hooks and handlers do not see the `unchanged` of its terms. */
export interface WriteRequest extends WriteTerms {
  readonly engine: RecordEngine;
  /** In original names. */
  readonly collection: CompiledCollection;
  readonly call: CallContext;
  readonly report: ReportError;
  /** The name that the sender of the request uses for a field; `undefined` for one that the sender may not know of. */
  readonly label: (collection: string, field: string) => string | undefined;
}

/**
 * Create a record that has been checked: validations, before-hooks, write handlers, validations again, the record with what
 * is nested in it in one transaction for each data source, after-hooks.
 */
export async function createByRequest(request: WriteRequest, record: RecordData): Promise<RecordData | undefined> {
  const { engine, collection, call } = request;
  validate(request, collection, record, 'create');
  const data = [{ ...record }];
  const created = await inUnitOfCall(call, async (inside) => {
    const afterWrite = afterWriteOf(request, inside);
    await runHooks(engine, collection, 'Before', 'Create', { data: Object.freeze(data), afterWrite }, inside);
    const write = { engine, call: inside, action: 'create' as const, afterWrite };
    const records = await Promise.all(data.map((given) => applyWriteHandlers(collection, given, write)));
    for (const given of records) checkResult(request, collection, given, 'create');
    const written = await createRecords(
      { engine, call: inside, checkPartner: partnerCheck(request) },
      collection,
      records,
    );
    afterwards(request, inside, 'Create', () =>
      runHooks(engine, collection, 'After', 'Create', { data, records: written }, { ...call, unit: undefined }),
    );
    return written;
  });
  return created[0];
}

/** Update the records that fulfil `where`, in the same order of events; how many there were. */
export async function updateByRequest(
  request: WriteRequest,
  where: ConditionTree | undefined,
  changes: RecordData,
): Promise<number> {
  const { engine, collection, call } = request;
  validate(request, collection, changes, 'update');
  const patch = { ...changes };
  const filter = { conditionTree: where };
  return inUnitOfCall(call, async (inside) => {
    const afterWrite = afterWriteOf(request, inside);
    await runHooks(engine, collection, 'Before', 'Update', { filter, patch, afterWrite }, inside);
    const write = { engine, call: inside, action: 'update' as const, filter, afterWrite };
    const result = await applyWriteHandlers(collection, patch, write);
    checkResult(request, collection, result, 'update');
    // The records exist even where hooks and handlers dropped every change.
    const isSwallowed = Object.keys(result).length === 0;
    const updated = isSwallowed
      ? await engine.count(collection, where, inside)
      : await updateRecords(
          { engine, call: inside, checkPartner: partnerCheck(request) },
          collection,
          where,
          result,
          request,
        );
    const hooks = () =>
      runHooks(engine, collection, 'After', 'Update', { filter, patch }, { ...call, unit: undefined });
    afterwards(request, inside, 'Update', hooks);
    return updated;
  });
}

export async function deleteByRequest(request: WriteRequest, where: ConditionTree | undefined): Promise<number> {
  const { engine, collection, call } = request;
  const filter = { conditionTree: where };
  return inUnitOfCall(call, async (inside) => {
    const afterWrite = afterWriteOf(request, inside);
    await runHooks(engine, collection, 'Before', 'Delete', { filter, afterWrite }, inside);
    const deleted = await deleteRecords({ engine, call: inside }, collection, where, request);
    afterwards(request, inside, 'Delete', () =>
      runHooks(engine, collection, 'After', 'Delete', { filter }, { ...call, unit: undefined }),
    );
    return deleted;
  });
}

function afterwards(
  { collection, report }: WriteRequest,
  { unit }: CallContext,
  type: 'Create' | 'Update' | 'Delete',
  run: () => Promise<void>,
): void {
  if (!hasHooks(collection, 'After', type)) return;
  unit?.whenCommitted(async () => {
    try {
      await run();
    } catch (error) {
      report(`A hook After ${type} of "${collection.name}" failed; what it came after is done.`, error);
    }
  });
}

/** What hooks and handlers of a write get to run code when it is over. */
function afterWriteOf(
  { engine, collection, call, report }: WriteRequest,
  { unit }: CallContext,
): UnendedWrite['afterWrite'] {
  const subject = `The code after a write of "${collection.name}"`;
  return (work) =>
    unit?.whenOver(async (outcome) => {
      try {
        const outside = engine.contextOf(collection, { ...call, unit: undefined });
        await callHandler(subject, () => work(outcome, outside));
      } catch (error) {
        report(`${subject} failed; the write was ${outcome}.`, error);
      }
    });
}

/** Records changed by hooks and handlers must meet the same rules. Wrong names and types are mistakes of their code. */
function checkResult(
  request: WriteRequest,
  collection: CompiledCollection,
  record: RecordData,
  action: 'create' | 'update',
): void {
  for (const [name, value] of Object.entries(record)) {
    const field = collection.fields.get(name);
    const subject = `Customization code writes "${name}" of "${collection.name}", which`;
    if (!field) throw customizationFailed(`${subject} is not a field.`);
    if (!isValueField(field)) {
      if (field.kind !== 'ManyToOne' && field.kind !== 'OneToOne') {
        throw customizationFailed(`${subject} leads to many records.`);
      }
      if (!isRecord(value)) throw customizationFailed(`${subject} is a relation and takes a record.`);
      // Whether the partner is there is not known yet; see `partnerCheck`.
      checkResult(request, request.engine.collectionNamed(field.foreignCollection), value, 'update');
      continue;
    }
    if (field.kind !== 'column' || field.expression)
      throw customizationFailed(`${subject} is not a column of the database.`);
    const problem = columnValueProblem(columnOf(field), value);
    if (problem !== undefined) throw customizationFailed(`${subject} must be ${problem}.`);
  }
  validate(request, { ...collection, validations: withoutReplaced(collection) }, record, action);
}

/** Holds a partner that is made by a write to the rules of new records. */
function partnerCheck(request: WriteRequest): NonNullable<NestedWrite['checkPartner']> {
  return (collection, partner) =>
    validate(request, { ...collection, validations: withoutReplaced(collection) }, partner, 'create');
}

function validate(
  { collection: { name }, call, label }: WriteRequest,
  collection: CompiledCollection,
  record: RecordData,
  action: 'create' | 'update',
): void {
  const labelOf = (field: string) => {
    const called = label(collection.name, field);
    return called === undefined || collection.name === name ? called : `${collection.name}.${called}`;
  };
  validateRecord(collection, record, action, call.caller.timezone, labelOf);
}

/** The value of a replaced field is checked as it came; it is not there any more. */
function withoutReplaced({
  validations,
  writeHandlers,
  documentLeaves,
  fields,
}: CompiledCollection): CompiledCollection['validations'] {
  const isWrittenAsItIs = (name: string) =>
    !writeHandlers.has(name) && !documentLeaves.has(name) && fields.get(name)?.kind === 'column';
  return new Map([...validations].filter(([name]) => isWrittenAsItIs(name)));
}

/** Carry out a write, and note which records of the collection it changed, where somebody wants to know. */
export async function notingRecords<Result>(
  notes: WriteNotes | undefined,
  collection: CompiledCollection,
  run: (tell: TellKeys | undefined) => Promise<Result>,
): Promise<Result> {
  if (!notes?.records || collection.primaryKey.length === 0) return run(undefined);
  const ids: string[] = [];
  const result = await run((keys) => {
    for (const key of keys) if (hasKey(collection, key)) ids.push(packId(collection, key));
  });
  notes.records(ids);
  return result;
}
