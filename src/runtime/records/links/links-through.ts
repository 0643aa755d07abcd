import { type CompiledCollection, writableCollection } from '../../model/compiled-model.ts';
import { conditionOfKeys, conditionOfRecords } from '../../model/record-id.ts';
import type { ManyToManyRelation } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import { inUnitOfCall } from '../calls/call-context.ts';
import { intersect } from '../read/record-filter.ts';
import { asDatabaseCompares, linkCondition } from '../read/related-condition.ts';
import { createRecords, deleteRecords, type NestedWrite, updateRecords } from '../write/nested-writes.ts';
import { deleteByRequest } from '../write/record-writes.ts';
import { restorationOf } from '../write/stored-records.ts';
import { type LinkCall, type LinkEnds, readColumns, writeOn } from './link-ends.ts';
import { scopeOn } from './scoped-write.ts';
import { createInScope } from './writes-in-scope.ts';

/** Add a row that links two records, unless there is one. Whether the record to link is there. */
export async function addLink(
  link: LinkCall,
  { owner, foreign, parent }: LinkEnds,
  relation: ManyToManyRelation,
  target: ConditionTree | undefined,
): Promise<boolean> {
  const { engine } = link.reader;
  const [found] = await readColumns(link, engine.collectionNamed(foreign.name), target, foreignColumns(relation));
  if (!found) return false;
  const through = writableCollection(engine.model, relation.throughCollection, 'create');
  const row = Object.fromEntries([
    ...relation.originJoin.map((pair) => [pair.foreign, parent[pair.local]] as const),
    ...relation.foreignJoin.map((pair) => [pair.local, found[pair.foreign]] as const),
  ]);
  const where = intersect([
    linkCondition(engine, relation, owner, parent),
    conditionOfTargets(link, relation, foreign, [found]),
  ]);
  await inUnitOfCall(link.context, async (inside) => {
    const isLinked = (await engine.count(through, where, inside)) > 0;
    if (isLinked) return;
    await createInScope({ ...link, context: inside }, through, row, async ({ call }) => {
      const restored = await restoreLink({ engine, call }, through, where);
      if (restored) return restored;
      const [created] = await createRecords({ engine, call }, through, [row]);
      return created;
    });
  });
  return true;
}

/**
 * Restore the row of an earlier link where unlinking only marked it: the row still has its key, so no second one fits.
 * Resolves to the key of the row.
 */
async function restoreLink(
  { engine, call }: NestedWrite,
  through: CompiledCollection,
  where: ConditionTree | undefined,
): Promise<RecordData | undefined> {
  const restoration = restorationOf(through, call);
  if (!restoration) return undefined;
  const page = { skip: 0, limit: 1 };
  const [deleted] = await engine.list(through, { projection: through.primaryKey, where, page }, restoration.call);
  if (!deleted) return undefined;
  const write = { engine, call: restoration.call };
  await updateRecords(write, through, conditionOfRecords(through, [deleted]), restoration.patch);
  return deleted;
}

/** Delete the rows that link a record to the related ones that are meant, and with `isDeleting` those too. How many are meant. */
export async function removeLinks(
  link: LinkCall,
  { owner, foreign, parent }: LinkEnds,
  relation: ManyToManyRelation,
  meant: ConditionTree | undefined,
  isDeleting: boolean,
): Promise<number> {
  const { engine } = link.reader;
  const target = engine.collectionNamed(foreign.name);
  const through = writableCollection(engine.model, relation.throughCollection, 'delete');
  return inUnitOfCall(link.context, async (inside) => {
    const call = { ...link, context: inside };
    const records = await readColumns(call, target, meant, foreignColumns(relation));
    if (records.length === 0) return 0;
    const toThese = conditionOfTargets(link, relation, foreign, records);
    const scope = await scopeOn(link.reader, through.name, 'delete', inside);
    const rows = intersect([linkCondition(engine, relation, owner, parent), toThese, scope]);
    await deleteRecords({ engine, call: inside }, through, rows);
    if (!isDeleting) link.tell?.(records);
    else await deleteByRequest(writeOn(call, foreign), conditionOfRecords(target, records));
    return records.length;
  });
}

/** The rows of the through collection that link one of the records. */
function conditionOfTargets(
  { reader: { engine } }: LinkCall,
  relation: ManyToManyRelation,
  foreign: Pick<CompiledCollection, 'name'>,
  records: readonly RecordData[],
): ConditionTree {
  const through = engine.collectionNamed(relation.throughCollection);
  const pairs = relation.foreignJoin.map(({ local, foreign: target }) => ({ local: target, foreign: local }));
  return conditionOfKeys(
    asDatabaseCompares(engine.model, through, pairs, foreign.name).map((pair) => pair.foreign),
    records.map((record) => foreignColumns(relation).map((column) => record[column])),
  );
}

function foreignColumns({ foreignJoin }: ManyToManyRelation): readonly string[] {
  return foreignJoin.map((pair) => pair.foreign);
}
