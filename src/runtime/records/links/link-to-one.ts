import type { CompiledCollection } from '../../model/compiled-model.ts';
import { conditionOfRecords, recordNotFound } from '../../model/record-id.ts';
import type { ToOneRelation } from '../../query/collection-schema.ts';
import type { RecordData } from '../../query/record-query.ts';
import { inUnitOfCall } from '../calls/call-context.ts';
import { intersect, scopeCondition } from '../read/record-filter.ts';
import { asDatabaseCompares, keysEqual } from '../read/related-condition.ts';
import { keysFor } from '../write/nested-writes.ts';
import { type LinkCall, type LinkEnds, reachableTarget, readColumns } from './link-ends.ts';
import { updateInScope } from './writes-in-scope.ts';

/** The near record holds the key. */
export async function linkHere(
  link: LinkCall,
  { owner, foreign, parent }: LinkEnds,
  relation: ToOneRelation,
  collection: CompiledCollection,
  id: readonly unknown[] | null,
): Promise<void> {
  const patch = id
    ? await keysToTarget(link, foreign, relation, id)
    : Object.fromEntries(relation.join.map((pair) => [pair.local, null]));
  const where = conditionOfRecords(owner, [parent]);
  await updateInScope(link, collection, where, patch);
}

/** The columns by which a record leads to another one, in original names. */
export async function keysToTarget(
  link: LinkCall,
  foreign: CompiledCollection,
  relation: ToOneRelation,
  id: readonly unknown[],
): Promise<RecordData> {
  const { engine, authoriser } = link.reader;
  const { primaryKey } = engine.collectionNamed(foreign.name);
  // The id does not tell the values of other columns, and who may not read them is not to find them in a record of theirs.
  const isByKey = relation.join.every((pair) => primaryKey.includes(pair.foreign));
  if (!isByKey) await authoriser.requireReadOn(link.context.caller, [foreign.name]);
  const target = await targetOf(link, foreign, relation, id);
  const reversed = relation.join.map(({ local, foreign: far }) => ({ local: far, foreign: local }));
  return keysFor({ ...relation, join: reversed }, target);
}

/** The far record holds the key: whichever held it before loses it. */
export async function linkThere(
  link: LinkCall,
  { owner, foreign, parent }: LinkEnds,
  relation: ToOneRelation,
  id: readonly unknown[] | null,
): Promise<void> {
  const { engine, model, authoriser } = link.reader;
  const target = id && (await targetOf(link, foreign, relation, id));
  const far = engine.collectionNamed(foreign.name);
  const scope = await scopeCondition(model, foreign, authoriser, link.context.caller, 'edit');
  await inUnitOfCall(link.context, async (inside) => {
    const call = { ...link, context: inside };
    const pairs = asDatabaseCompares(engine.model, far, relation.join, owner.name);
    const before = await readColumns(call, far, intersect([keysEqual(pairs, parent), scope]), []);
    const isTarget = (record: RecordData) =>
      target !== null && far.primaryKey.every((key) => record[key] === target[key]);
    const others = before.filter((record) => !isTarget(record));
    if (others.length > 0) {
      const cleared = Object.fromEntries(relation.join.map((pair) => [pair.foreign, null]));
      await updateInScope(call, foreign, conditionOfRecords(far, others), cleared);
    }
    if (!target || before.some(isTarget)) return;
    const patch = keysFor(relation, parent);
    await updateInScope(call, foreign, conditionOfRecords(far, [target]), patch);
  });
}

/** The columns that a relation leads to of a record. Throws `REQUEST_NOT_FOUND` when it is not there or out of scope. */
async function targetOf(
  link: LinkCall,
  foreign: CompiledCollection,
  relation: ToOneRelation,
  id: readonly unknown[],
): Promise<RecordData> {
  const far = link.reader.engine.collectionNamed(foreign.name);
  const where = await reachableTarget(link, foreign, relation, id);
  const [found] = await readColumns(
    link,
    far,
    where,
    relation.join.map((pair) => pair.foreign),
  );
  if (!found) throw recordNotFound(foreign);
  return found;
}
