import { type CompiledCollection, knownName, writableCollection } from '../model/compiled-model.ts';
import { countNamedKeys } from '../model/key-order.ts';
import { requireDistinctKeys } from '../model/record-id.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { RecordData } from '../query/record-query.ts';
import { type CallContext, readInput } from './calls/call-context.ts';
import { compareUpdate } from './compare-update.ts';
import { effectsOfDelete } from './foresee-delete.ts';
import { keyTies } from './key-ties.ts';
import { readColumns } from './links/link-ends.ts';
import { requirePartnerRights } from './links/partner-rights.ts';
import { sentRecord } from './links/scoped-write.ts';
import { intersect } from './read/record-filter.ts';
import { isNeverTrue } from './read/split-filter.ts';
import { type RecordReader, scopeOf } from './request/record-reader.ts';
import type { WriteChecks } from './request/write-checks.ts';
import { readableAmong } from './search/search-audience.ts';
import { neededFor, seenValues } from './seen-values.ts';
import { validateRecord, writableAttributes } from './write/write-attributes.ts';

/** Checks of writes that are not made. Each asks for the right of the write first, then reads its input. */
export function writeChecks(reader: RecordReader): WriteChecks {
  const { model, authoriser, engine } = reader;

  const validate = (
    collection: CompiledCollection,
    sent: RecordData,
    action: 'create' | 'update',
    { caller }: CallContext,
  ) => {
    const stored = engine.collectionNamed(collection.name);
    const label = (field: string) => knownName(model, stored.name, field);
    validateRecord(stored, original(reader, collection, sent), action, caller.timezone, label);
  };

  /** Whether the caller may read the record that they may edit. */
  const mayRead = async (collection: CompiledCollection, where: ConditionTree | undefined, context: CallContext) => {
    const { name } = collection;
    if (!(await readableAmong(authoriser, context.caller, [name])).has(name)) return false;
    const [edited, read] = [
      await scopeOf(reader, collection, 'edit', context),
      await scopeOf(reader, collection, 'read', context),
    ];
    if (edited === read) return true;
    return (await engine.count(engine.collectionNamed(name), intersect([where, read]), context)) > 0;
  };

  const selectToDelete = async (...[name, where, context, ifMatch]: Parameters<WriteChecks['checkDelete']>) => {
    const collection = writableCollection(model, name, 'delete');
    await authoriser.require(context.caller, name, 'delete');
    const tree = await readInput(where);
    const seen = await seenValues(reader, collection, ifMatch, context);
    if (isNeverTrue(tree)) return { records: 0, filter: undefined };
    const filter = await reader.filterOf(collection, { where: tree }, neededFor('delete', seen), context);
    await seen?.require(filter, context);
    await requireOneRow(reader, name, filter, context);
    return { records: await engine.count(engine.collectionNamed(name), filter, context), filter };
  };

  const checkCreate: WriteChecks['checkCreate'] = async (name, attributes, context) => {
    const collection = writableCollection(model, name, 'create');
    await authoriser.require(context.caller, name, 'add');
    const accepted = writableAttributes(collection, readInput(attributes), undefined, context.caller.timezone);
    await requirePartners(reader, collection, accepted, 'create', context);
    validate(collection, accepted, 'create', context);
    return { attributes: accepted, missing: missingFields(reader, collection, accepted) };
  };

  return {
    checkCreate,

    async checkUpdate(name, id, patch, context, ifMatch) {
      const update = await compareUpdate(reader, name, id, patch, context, ifMatch);
      if (!update) return null;
      const { collection, where, current, accepted, changed } = update;
      await requireOneRow(reader, collection.name, where, context);
      await requirePartners(reader, collection, changed, where, context);
      validate(collection, accepted, 'update', context);
      // Who may not read the record is not to find out its values by guessing them.
      if (!(await mayRead(collection, where, context))) {
        return Object.entries(accepted).map(([field, to]) => ({ field, to }));
      }
      return Object.entries(changed).map(([field, to]) => ({ field, from: current[field] ?? null, to }));
    },

    checkDelete: async (...asked) => (await selectToDelete(...asked)).records,

    async foreseeDelete(name, where, context) {
      const { records, filter } = await selectToDelete(name, where, context);
      const stored = engine.collectionNamed(name);
      const isFinal = stored.native.softDelete === undefined;
      const isUpToDatabase = isFinal && !stored.overrides.delete && records > 0;
      const isUpToCode = Boolean(stored.overrides.delete) && records > 0;
      const effects = isUpToDatabase
        ? await effectsOfDelete(reader, stored, filter, context)
        : { ...noEffects, isWhole: !isUpToCode };
      return { records, isFinal, ...effects };
    },

    ...keyTies(reader, selectToDelete),
  };
}

/** The write would be refused without the rights to the records behind imported fields. @param where of an update. */
function requirePartners(
  reader: RecordReader,
  { name }: CompiledCollection,
  attributes: RecordData,
  where: ConditionTree | 'create' | undefined,
  context: CallContext,
): Promise<void> {
  const { engine } = reader;
  const stored = engine.collectionNamed(name);
  const call = { reader, context };
  const before = async (columns: readonly string[]) =>
    where === 'create' ? [{}] : readColumns(call, stored, where, columns);
  return requirePartnerRights(call, sentRecord(engine, stored, original(reader, stored, attributes)), before);
}

/** The write would be refused where an id means several rows. */
async function requireOneRow(
  { engine }: RecordReader,
  name: string,
  where: ConditionTree | undefined,
  context: CallContext,
): Promise<void> {
  const stored = engine.collectionNamed(name);
  if (countNamedKeys(where, stored.primaryKey) === undefined) return;
  requireDistinctKeys(stored, await engine.list(stored, { projection: stored.primaryKey, where }, context));
}

/** Of a deletion that deletes nothing, that marks records, or that code carries out: what the code does nobody foresees. */
const noEffects = { alsoDeleted: [], unlinked: [], blocking: [] };

/** The data source fills its timestamps by itself. */
function missingFields(
  { engine, model }: RecordReader,
  { name, fields }: CompiledCollection,
  attributes: RecordData,
): readonly string[] {
  const { created, updated } = engine.collectionNamed(name).native.timestamps ?? {};
  const filled = [created, updated].flatMap((column) => (column ? model.names.publishedName(name, column) : []));
  return [...fields.values()].flatMap((field) => {
    if (field.kind !== 'column' || field.hasDefault || field.isReadOnly || field.writtenBy === 'edit') return [];
    if (field.isNullable && !field.refusesNull) return [];
    const isGiven = (attributes[field.name] ?? null) !== null || filled.includes(field.name);
    return isGiven ? [] : [field.name];
  });
}

/** Attributes by their original names. */
export function original({ model }: RecordReader, collection: CompiledCollection, attributes: RecordData): RecordData {
  if (model.names.isIdentity) return attributes;
  const entries = Object.entries(attributes);
  return Object.fromEntries(entries.map(([name, value]) => [model.names.originalPath(collection.name, name), value]));
}
