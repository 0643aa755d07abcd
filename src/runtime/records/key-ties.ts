import type { UndoTies } from '#contracts/history';
import { type CompiledCollection, collectionNamed, knownName, writableCollection } from '../model/compiled-model.ts';
import { hasKey, idCondition, packedKey, packId } from '../model/record-id.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { RecordData } from '../query/record-query.ts';
import { type CallContext, callOfOthers, readInput } from './calls/call-context.ts';
import { behind, keysInto } from './foresee-delete.ts';
import { foreignKeysOf, identityOf, mayList, missingTargets } from './foresee-import.ts';
import { intersect } from './read/record-filter.ts';
import { withDeleted } from './record-access.ts';
import { type RecordReader, scopeOf } from './request/record-reader.ts';
import type { WriteChecks } from './request/write-checks.ts';

type Referring = UndoTies['referring'][number];

/** How many records of one foreign key are named. */
const maxNamed = 1_000;

/** What foreign keys of the database have to do with a deletion, and with values that are written. */
export function keyTies(
  reader: RecordReader,
  selectToDelete: (
    ...asked: Parameters<WriteChecks['checkDelete']>
  ) => Promise<{ readonly records: number; readonly filter: ConditionTree | undefined }>,
): Pick<WriteChecks, 'referringTo' | 'targetsOf'> {
  const { model, authoriser, engine } = reader;
  return {
    async referringTo(name, id, context) {
      const where = () => idCondition(collectionNamed(model, name), readInput(id));
      const { records, filter } = await selectToDelete(name, where, context);
      const stored = engine.collectionNamed(name);
      const isUpToDatabase = stored.native.softDelete === undefined && !stored.overrides.delete;
      if (records === 0 || !filter || !isUpToDatabase) return [];
      return referringRecords(reader, stored, { id: readInput(id), where: filter }, context);
    },

    async targetsOf(name, attributes, right, context) {
      writableCollection(model, name, right === 'add' ? 'create' : 'update');
      await authoriser.require(context.caller, name, right);
      return targetRecords(reader, engine.collectionNamed(name), attributes, context);
    },
  };
}

/**
 * The foreign keys of the database that lead to a record, each with the records that it leads from. Nothing is said of a key that rights
 * hide. Of records that the caller may not list it is said only that there are some.
 *
 * @param record its key, and the condition that is true of it in original names.
 */
async function referringRecords(
  reader: RecordReader,
  collection: CompiledCollection,
  { id, where }: { readonly id: readonly unknown[]; readonly where: ConditionTree },
  context: CallContext,
): Promise<Referring[]> {
  const { engine, model } = reader;
  const found: Referring[] = [];
  for (const { child, back, rule } of keysInto(collection, engine.model.collections)) {
    if (knownName(model, child.name, back.name) === undefined || child.primaryKey.length === 0) continue;
    const leading = behind(back, where);
    const call = withDeleted(child, callOfOthers(context));
    const all = await engine.count(child, leading, call);
    const recordIds = all === 0 ? [] : await listedAmong(reader, child, leading, call);
    const names = back.join.map(({ local, foreign }) => ({
      name: knownName(model, child.name, local),
      of: knownName(model, collection.name, foreign),
    }));
    const fields = names.flatMap(({ name, of }) => (name !== undefined && of !== undefined ? [{ name, of }] : []));
    // A record that leads to itself goes with its link.
    const others = child.name === collection.name ? recordIds.filter((each) => each !== packedKey(id)) : recordIds;
    found.push({
      ...{ collection: child.name, rule, recordIds: others, hasMore: recordIds.length < all },
      fields: fields.length === names.length ? fields : [],
    });
  }
  return found;
}

/** Packed ids of the records that the caller may list. */
async function listedAmong(
  reader: RecordReader,
  child: CompiledCollection,
  where: ConditionTree,
  call: CallContext,
): Promise<string[]> {
  const published = reader.model.collections.get(child.name);
  if (!published || !(await mayList(reader, published, call))) return [];
  const scope = await scopeOf(reader, published, 'browse', call);
  const { primaryKey: projection } = child;
  const sort = projection.map((field) => ({ field, ascending: true }));
  const page = { skip: 0, limit: maxNamed };
  const listed = await reader.engine.list(child, { projection, where: intersect([where, scope]), sort, page }, call);
  return listed.filter((record) => hasKey(child, record)).map((record) => packId(child, record));
}

/**
 * The records that foreign keys among the values of a record lead to. Nothing is said of those that the caller may not list.
 *
 * @param values published names.
 */
async function targetRecords(
  reader: RecordReader,
  collection: CompiledCollection,
  values: RecordData,
  context: CallContext,
): Promise<UndoTies['targets']> {
  const { engine, model } = reader;
  const targets: UndoTies['targets'] = [];
  for (const { join, foreignCollection } of foreignKeysOf(reader, collection)) {
    const parent = engine.collectionNamed(foreignCollection);
    const published = model.collections.get(foreignCollection);
    const nameOf = (column: string) => model.names.publishedName(collection.name, column);
    const valuesOfKey = new Map(join.map(({ local, foreign }) => [foreign, values[nameOf(local)] ?? null]));
    const id = parent.primaryKey.map((field) => valuesOfKey.get(field) ?? null);
    // A key that leads to another unique column names no record.
    const isNamed = id.length > 0 && id.length === join.length && !id.includes(null);
    if (!isNamed || !published || !(await mayList(reader, published, context))) continue;
    const keys = new Map([[identityOf(id), id]]);
    const missing = await missingTargets(reader, foreignCollection, parent.primaryKey, keys, context);
    targets.push({ collection: foreignCollection, recordId: packedKey(id), isMissing: missing.size > 0 });
  }
  return targets;
}
