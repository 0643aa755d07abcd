import { type CompiledCollection, columnOf, isValueField } from '../../model/compiled-model.ts';
import { valueReader } from '../../query/record-path.ts';
import type { RecordData } from '../../query/record-query.ts';
import { isRecord, setValue } from '../../query/shape-record.ts';
import { comparableOf, identityOf } from '../../query/value-order.ts';
import { type CallContext, callOfOthers } from '../calls/call-context.ts';
import { computeField } from './compute-field.ts';
import type { PartnerStep, ReadStep } from './plan-projection.ts';
import type { RecordEngine } from './record-engine.ts';

/** Add what the agent computes and fetches to records that are fresh from a data source. */
export async function runSteps(
  engine: RecordEngine,
  records: readonly RecordData[],
  steps: readonly ReadStep[],
  call: CallContext,
): Promise<void> {
  for (const step of steps) {
    const owners = records
      .map((record) => recordBehind(record, step.relationPath))
      .filter((owner) => owner !== undefined);
    if (owners.length === 0) continue;
    if (step.kind === 'compute') await computeField(step, owners, engine.contextOf(step.collection, call));
    else await nestPartners(engine, step, owners, call);
  }
}

/** One query for all partners, joined by hash; of several partners of one record the first is taken. */
async function nestPartners(
  engine: RecordEngine,
  { relation, keys, projection }: PartnerStep,
  owners: readonly RecordData[],
  call: CallContext,
): Promise<void> {
  const foreign = engine.collectionNamed(relation.foreignCollection);
  const foreignKeys = relation.join.map((pair) => pair.foreign);
  // Both sides of a relation have the same type.
  const identityAt = (paths: readonly string[]) => identityReader(foreign, foreignKeys, paths);
  const identityOfOwner = identityAt(keys);
  const identityOfPartner = identityAt(foreignKeys);
  const wanted = new Map<string, RecordData>();
  for (const owner of owners) {
    const identity = identityOfOwner(owner);
    if (identity !== undefined && !wanted.has(identity)) wanted.set(identity, owner);
  }
  const partners = new Map<string, RecordData>();
  if (wanted.size > 0) {
    const conditions = keys.map((path, index) => {
      const value = [...wanted.values()].map(valueReader(path));
      return { field: foreignKeys[index] ?? '', operator: 'In' as const, value };
    });
    const where = { aggregator: 'And' as const, conditions };
    const query = { where, projection: [...projection], sort: primaryKeyOrder(foreign) };
    for (const partner of await engine.list(foreign, query, callOfOthers(call))) {
      const identity = identityOfPartner(partner);
      if (identity !== undefined && !partners.has(identity)) partners.set(identity, partner);
    }
  }
  for (const owner of owners) {
    const identity = identityOfOwner(owner);
    const partner = identity === undefined ? undefined : partners.get(identity);
    // The records are fresh from the data source and not yet shown to anybody.
    setValue(owner as Record<string, unknown>, relation.name, partner ?? null);
  }
}

function primaryKeyOrder(collection: CompiledCollection) {
  return collection.primaryKey.map((field) => ({ field, ascending: true }));
}

/** A text that is the same for records whose values at `paths` are equal; `undefined` when one of them has none. */
export function identityReader(
  collection: CompiledCollection,
  columns: readonly string[],
  paths: readonly string[],
): (record: RecordData) => string | undefined {
  const parts = columns.map((name, index) => {
    const field = collection.fields.get(name);
    const comparable = comparableOf(field && isValueField(field) ? columnOf(field).type : 'String');
    return { comparable, read: valueReader(paths[index] ?? name) };
  });
  return (record) => {
    const identities: string[] = [];
    for (const { comparable, read } of parts) {
      const value = read(record);
      if (value === null) return undefined;
      identities.push(identityOf(comparable(value)));
    }
    return JSON.stringify(identities);
  };
}

function recordBehind(record: RecordData, relationPath: string): RecordData | undefined {
  let current: unknown = record;
  for (const step of relationPath === '' ? [] : relationPath.split(':')) {
    current = isRecord(current) ? current[step] : undefined;
  }
  return isRecord(current) ? current : undefined;
}
