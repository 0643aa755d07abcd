import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { unprocessableRequest } from '#kernel/errors/request-errors';
import { type CompiledCollection, isValueField } from '../../model/compiled-model.ts';
import { conditionOfKeys, conditionOfRecords } from '../../model/record-id.ts';
import type { OneToManyRelation, RelationSchema, ToOneRelation } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import { isRecord, setValue } from '../../query/shape-record.ts';
import type { CallContext } from '../calls/call-context.ts';
import { createPathShaper } from '../read/plan-projection.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { identityReader } from '../read/run-steps.ts';
import { createOwn, deleteOwn, updateOwn, type WriteTerms } from './store-writes.ts';

type ToOne = RelationSchema & { readonly kind: 'ManyToOne' | 'OneToOne' };

type KeyedRelation = Pick<ToOneRelation | OneToManyRelation, 'name' | 'join'>;

interface SplitPatch {
  readonly own: Record<string, unknown>;
  readonly relations: readonly (readonly [ToOne, RecordData])[];
}

/** The parts that writing records needs. */
export interface NestedWrite {
  readonly engine: RecordEngine;
  readonly call: CallContext;
  /** Throws where a record breaks a rule that is made because another one refers to it. What code writes is not checked. */
  readonly checkPartner?: (collection: CompiledCollection, partner: RecordData) => void;
}

/** Create records, and the related ones that are nested in them; a partner that is referred to already is changed. */
export async function createRecords(
  write: NestedWrite,
  collection: CompiledCollection,
  records: readonly RecordData[],
): Promise<RecordData[]> {
  const splits = records.map((record) => splitPatch(collection, record));
  for (const { own, relations } of splits) {
    for (const [relation, nested] of relations) {
      if (relation.kind === 'ManyToOne') await createOrUpdatePartner(write, relation, own, nested);
    }
  }
  const created = await createOwn(
    write.engine,
    collection,
    splits.map(({ own }) => own),
    write.call,
  );
  for (const [index, { relations }] of splits.entries()) {
    for (const [relation, nested] of relations) {
      const parent = created[index];
      if (relation.kind !== 'OneToOne' || !parent) continue;
      const foreign = write.engine.collectionNamed(relation.foreignCollection);
      await createPartners(write, foreign, [{ ...nested, ...keysFor(relation, parent) }]);
    }
  }
  return created;
}

/**
 * Update records, and the partners that are nested in the patch; records without a partner get one.
 *
 * @param terms are about the records, and not about partners.
 */
export async function updateRecords(
  write: NestedWrite,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  patch: RecordData,
  terms: WriteTerms = {},
): Promise<number> {
  const { own, relations } = splitPatch(collection, patch);
  if (relations.length === 0) return updateOwn(write.engine, collection, where, own, write.call, terms);
  if (terms.unchanged) throw writesPartners(relations);
  // Find the records before anything changes, because the patch may change the fields of the condition.
  const keys = [
    ...new Set([...collection.primaryKey, ...relations.flatMap(([{ join }]) => join.map((pair) => pair.local))]),
  ];
  const records = await listShaped(write, collection, keys, where);
  if (records.length === 0) return 0;
  const these = conditionOfRecords(collection, records);
  for (const [relation, nested] of relations) {
    const holders = withKeyOf(relation, records, own);
    if (relation.kind === 'ManyToOne') await updateReferring(write, collection, relation, holders, nested);
    else await updateReferred(write, relation, records, nested);
  }
  const hasOwn = Object.keys(own).length > 0;
  if (hasOwn) await updateOwn(write.engine, collection, these, own, write.call, { tell: terms.tell, keep: terms.keep });
  else terms.tell?.(records);
  return records.length;
}

/** A partner is another record, written by another statement. */
function writesPartners(relations: SplitPatch['relations']): CloudError {
  const names = relations.map(([{ name }]) => `"${name}"`).join(', ');
  return unprocessableRequest(
    `The update writes records behind ${names} too, so that it cannot be held to values that were seen.`,
    'Send the fields of related records in a call of their own, without those values.',
  );
}

/** The records with the key that the same write gives them: it selects the partner that a nested record belongs to. */
function withKeyOf(relation: ToOne, records: readonly RecordData[], own: RecordData): readonly RecordData[] {
  const written = relation.join.flatMap(({ local }) => (Object.hasOwn(own, local) ? [[local, own[local]]] : []));
  if (written.length === 0 || relation.kind !== 'ManyToOne') return records;
  const holders = records.map((record) => ({ ...record, ...Object.fromEntries(written) }));
  for (const holder of holders) keyOf(relation, holder);
  return holders;
}

export function deleteRecords(
  write: NestedWrite,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  terms?: WriteTerms,
): Promise<number> {
  return deleteOwn(write.engine, collection, where, write.call, terms);
}

function createPartners(
  write: NestedWrite,
  collection: CompiledCollection,
  partners: readonly RecordData[],
): Promise<RecordData[]> {
  for (const partner of partners) write.checkPartner?.(collection, partner);
  return createRecords(write, collection, partners);
}

async function createOrUpdatePartner(
  write: NestedWrite,
  relation: ToOne,
  own: Record<string, unknown>,
  nested: RecordData,
): Promise<void> {
  const foreign = write.engine.collectionNamed(relation.foreignCollection);
  const isGiven = relation.join.every(({ local }) => own[local] !== undefined && own[local] !== null);
  if (isGiven) {
    await updateReferred(write, relation, [own], nested);
    return;
  }
  const [partner] = await createPartners(write, foreign, [nested]);
  for (const { local, foreign: target } of relation.join) setValue(own, local, partner?.[target]);
}

/** The records hold the key: partners that there are change, and every record without one gets one of its own. */
async function updateReferring(
  write: NestedWrite,
  collection: CompiledCollection,
  relation: ToOne,
  records: readonly RecordData[],
  nested: RecordData,
): Promise<void> {
  const foreign = write.engine.collectionNamed(relation.foreignCollection);
  const isReferring = (record: RecordData) => relation.join.every(({ local }) => record[local] !== null);
  const referring = records.filter(isReferring);
  if (referring.length > 0) await updateReferred(write, relation, referring, nested);
  for (const record of records.filter((candidate) => !isReferring(candidate))) {
    const [partner] = await createPartners(write, foreign, [nested]);
    const link = Object.fromEntries(relation.join.map(({ local, foreign: target }) => [local, partner?.[target]]));
    await updateOwn(write.engine, collection, conditionOfRecords(collection, [record]), link, write.call);
  }
}

/** The records say what key their partners have: those that are there change, and those that are not are made with it. */
async function updateReferred(
  write: NestedWrite,
  relation: ToOne,
  records: readonly RecordData[],
  nested: RecordData,
): Promise<void> {
  const foreign = write.engine.collectionNamed(relation.foreignCollection);
  const where = partnersOf(relation, records);
  const keys = relation.join.map((pair) => pair.foreign);
  const partners = await listShaped(write, foreign, keys, where);
  if (partners.length > 0) await updateRecords(write, foreign, where, nested);
  const found = new Set(partners.map(identityReader(foreign, keys, keys)));
  const identityOfRecord = identityReader(
    foreign,
    keys,
    relation.join.map(({ local }) => local),
  );
  const missing = Map.groupBy(records, identityOfRecord);
  for (const identity of found) missing.delete(identity);
  const created = [...missing.values()].map(([record = {}]) => ({ ...nested, ...keysFor(relation, record) }));
  if (created.length > 0) await createPartners(write, foreign, created);
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
    throw cloudError(
      'REQUEST_UNPROCESSABLE',
      `The relation "${name}" leads nowhere: its key "${local}" has no value.`,
      `Give "${local}" a value first.`,
      { details: { field: local } },
    );
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
  { engine, call }: NestedWrite,
  collection: CompiledCollection,
  paths: readonly string[],
  where: ConditionTree | undefined,
): Promise<RecordData[]> {
  const records = await engine.list(collection, { projection: paths, where }, call);
  return records.map(createPathShaper(engine.model, collection, paths));
}
