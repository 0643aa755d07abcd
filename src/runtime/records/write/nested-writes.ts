import { CloudError } from '#kernel/errors/cloud-error';
import { type CompiledCollection, isValueField } from '../../model/compiled-model.ts';
import { conditionOfKeys, conditionOfRecords } from '../../model/id-condition.ts';
import type { OneToManyRelation, RelationSchema, ToOneRelation } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import { isRecord, setValue } from '../../query/shape-record.ts';
import type { CallContext } from '../calls/call-context.ts';
import { createPathShaper } from '../read/plan-projection.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { identityReader } from '../read/run-steps.ts';
import { createOwn, deleteOwn, updateOwn } from './store-writes.ts';

type ToOne = RelationSchema & { readonly kind: 'ManyToOne' | 'OneToOne' };

type KeyedRelation = Pick<ToOneRelation | OneToManyRelation, 'name' | 'join'>;

interface SplitPatch {
  readonly own: Record<string, unknown>;
  readonly relations: readonly (readonly [ToOne, RecordData])[];
}

/** Create records, and the related ones that are nested in them; a partner that is referred to already is changed. */
export async function createRecords(
  engine: RecordEngine,
  collection: CompiledCollection,
  records: readonly RecordData[],
  call: CallContext,
): Promise<RecordData[]> {
  const splits = records.map((record) => splitPatch(collection, record));
  for (const { own, relations } of splits) {
    for (const [relation, nested] of relations) {
      if (relation.kind === 'ManyToOne') await createOrUpdatePartner(engine, relation, own, nested, call);
    }
  }
  const created = await createOwn(
    engine,
    collection,
    splits.map(({ own }) => own),
    call,
  );
  for (const [index, { relations }] of splits.entries()) {
    for (const [relation, nested] of relations) {
      const parent = created[index];
      if (relation.kind !== 'OneToOne' || !parent) continue;
      const foreign = engine.collectionNamed(relation.foreignCollection);
      await createRecords(engine, foreign, [{ ...nested, ...keysFor(relation, parent) }], call);
    }
  }
  return created;
}

/** Update records, and the partners that are nested in the patch; records without a partner get one. */
export async function updateRecords(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  patch: RecordData,
  call: CallContext,
): Promise<number> {
  const { own, relations } = splitPatch(collection, patch);
  if (relations.length === 0) return updateOwn(engine, collection, where, own, call);
  // Which records are meant is settled before anything changes: the patch may change what the condition is about.
  const keys = [
    ...new Set([...collection.primaryKey, ...relations.flatMap(([{ join }]) => join.map((pair) => pair.local))]),
  ];
  const records = await listShaped(engine, collection, keys, where, call);
  if (records.length === 0) return 0;
  const these = conditionOfRecords(collection, records);
  for (const [relation, nested] of relations) {
    const holders = withKeyOf(relation, records, own);
    if (relation.kind === 'ManyToOne') await updateReferring(engine, collection, relation, holders, nested, call);
    else await updateReferred(engine, relation, records, nested, call);
  }
  await updateOwn(engine, collection, these, own, call);
  return records.length;
}

/** The records with the key that is written beside what is nested: it tells which partner is meant. */
function withKeyOf(relation: ToOne, records: readonly RecordData[], own: RecordData): readonly RecordData[] {
  const written = relation.join.flatMap(({ local }) => (Object.hasOwn(own, local) ? [[local, own[local]]] : []));
  if (written.length === 0 || relation.kind !== 'ManyToOne') return records;
  const holders = records.map((record) => ({ ...record, ...Object.fromEntries(written) }));
  for (const holder of holders) keyOf(relation, holder);
  return holders;
}

export function deleteRecords(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  call: CallContext,
): Promise<number> {
  return deleteOwn(engine, collection, where, call);
}

async function createOrUpdatePartner(
  engine: RecordEngine,
  relation: ToOne,
  own: Record<string, unknown>,
  nested: RecordData,
  call: CallContext,
): Promise<void> {
  const foreign = engine.collectionNamed(relation.foreignCollection);
  const isGiven = relation.join.every(({ local }) => own[local] !== undefined && own[local] !== null);
  if (isGiven) {
    await updateReferred(engine, relation, [own], nested, call);
    return;
  }
  const [partner] = await createRecords(engine, foreign, [nested], call);
  for (const { local, foreign: target } of relation.join) setValue(own, local, partner?.[target]);
}

/** The records hold the key: partners that there are change, and every record without one gets one of its own. */
async function updateReferring(
  engine: RecordEngine,
  collection: CompiledCollection,
  relation: ToOne,
  records: readonly RecordData[],
  nested: RecordData,
  call: CallContext,
): Promise<void> {
  const foreign = engine.collectionNamed(relation.foreignCollection);
  const isReferring = (record: RecordData) => relation.join.every(({ local }) => record[local] !== null);
  const referring = records.filter(isReferring);
  if (referring.length > 0) await updateReferred(engine, relation, referring, nested, call);
  for (const record of records.filter((candidate) => !isReferring(candidate))) {
    const [partner] = await createRecords(engine, foreign, [nested], call);
    const link = Object.fromEntries(relation.join.map(({ local, foreign: target }) => [local, partner?.[target]]));
    await updateOwn(engine, collection, conditionOfRecords(collection, [record]), link, call);
  }
}

/** The records say what key their partners have: those that are there change, and those that are not are made with it. */
async function updateReferred(
  engine: RecordEngine,
  relation: ToOne,
  records: readonly RecordData[],
  nested: RecordData,
  call: CallContext,
): Promise<void> {
  const foreign = engine.collectionNamed(relation.foreignCollection);
  const where = partnersOf(relation, records);
  const keys = relation.join.map((pair) => pair.foreign);
  const partners = await listShaped(engine, foreign, keys, where, call);
  if (partners.length > 0) await updateRecords(engine, foreign, where, nested, call);
  const found = new Set(partners.map(identityReader(foreign, keys, keys)));
  const identityOfRecord = identityReader(
    foreign,
    keys,
    relation.join.map(({ local }) => local),
  );
  const missing = Map.groupBy(records, identityOfRecord);
  for (const identity of found) missing.delete(identity);
  const created = [...missing.values()].map(([record = {}]) => ({ ...nested, ...keysFor(relation, record) }));
  if (created.length > 0) await createRecords(engine, foreign, created, call);
}

/**
 * The key of the records that a relation leads to from `record`.
 *
 * @throws `REQUEST_UNPROCESSABLE` when a part of it has no value: it would mean every record that has none either.
 */
export function keysFor(relation: KeyedRelation, record: RecordData): RecordData {
  const values = keyOf(relation, record);
  return Object.fromEntries(relation.join.map(({ foreign }, index) => [foreign, values[index]]));
}

function partnersOf(relation: ToOne, records: readonly RecordData[]): ConditionTree {
  return conditionOfKeys(
    relation.join.map(({ foreign }) => foreign),
    records.map((record) => keyOf(relation, record)),
  );
}

function keyOf({ name, join }: KeyedRelation, record: RecordData): readonly unknown[] {
  return join.map(({ local }) => {
    const value = record[local] ?? null;
    if (value !== null) return value;
    throw new CloudError({
      code: 'REQUEST_UNPROCESSABLE',
      message: `The relation "${name}" leads nowhere: its key "${local}" has no value.`,
      nextSteps: [`Give "${local}" a value first.`],
      details: { field: local },
    });
  });
}

function splitPatch(collection: CompiledCollection, patch: RecordData): SplitPatch {
  const own: Record<string, unknown> = {};
  const relations: [ToOne, RecordData][] = [];
  for (const [name, value] of Object.entries(patch)) {
    const field = collection.fields.get(name);
    if (!field || isValueField(field)) setValue(own, name, value);
    else if (field.kind === 'ManyToOne' || field.kind === 'OneToOne') {
      if (isRecord(value)) relations.push([field as ToOne, value]);
    }
  }
  return { own, relations };
}

async function listShaped(
  engine: RecordEngine,
  collection: CompiledCollection,
  paths: readonly string[],
  where: ConditionTree | undefined,
  call: CallContext,
): Promise<RecordData[]> {
  const records = await engine.list(collection, { projection: paths, where }, call);
  return records.map(createPathShaper(engine.model, collection, paths));
}
