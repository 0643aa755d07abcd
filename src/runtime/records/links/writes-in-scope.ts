import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { conditionOfRecords, recordNotFound } from '../../model/record-id.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import { inUnitOfCall } from '../calls/call-context.ts';
import { intersect, toldScope } from '../read/record-filter.ts';
import { createByRequest, updateByRequest } from '../write/record-writes.ts';
import { type LinkCall, readColumns, writeOn } from './link-ends.ts';
import { requirePartnerRights } from './partner-rights.ts';
import { joinColumns, type ScopedWrite, type SentRecord, scopedWrite, sentRecord, targetsOf } from './scoped-write.ts';

// One rule holds for what a caller writes, by attributes, imported fields and relations alike. A key that is set leads to a
// record in the scope of its collection: otherwise the answer is `REQUEST_NOT_FOUND`. Every written record is in scope at the
// end: otherwise it is `RECORD_OUT_OF_SCOPE`. Either way nothing is written. What handlers and hooks write is not looked at. Where nothing has a scope,
// nothing is read. The rights to records behind imported fields are asked for first.

/**
 * Create a record that has been checked, by the rule above.
 *
 * @param create how it is created; the hooks of a request run unless told otherwise.
 */
export function createInScope(
  link: LinkCall,
  { name }: Pick<CompiledCollection, 'name'>,
  record: RecordData,
  create: typeof createByRequest = createByRequest,
): Promise<RecordData | undefined> {
  return inWrite('create', link, name, record, async (inside, { sent, write }) => {
    const { collection } = sent;
    await requirePartnerRights(inside, sent, () => Promise.resolve([{}]));
    if (write) await requireLinks(inside, write, [{}]);
    const created = await create(writeOn(inside, collection), record);
    if (write && created) stayInScope(inside, write, conditionOfRecords(collection, [created]), 1);
    return created;
  });
}

/**
 * Update the records that fulfil `where`, by the rule above; how many there were.
 *
 * @param where keeps to the scope of the caller.
 * @param judged those of the changes that change something; a key that a record has already is not asked about.
 */
export function updateInScope(
  link: LinkCall,
  { name }: Pick<CompiledCollection, 'name'>,
  where: ConditionTree | undefined,
  changes: RecordData,
  judged: RecordData = changes,
): Promise<number> {
  return inWrite('update', link, name, judged, async (inside, { sent, write }) => {
    const { collection } = sent;
    await requirePartnerRights(inside, sent, (columns) => readColumns(inside, collection, where, columns));
    const before = write ? await readColumns(inside, collection, where, columnsOf(write)) : [];
    if (write && before.length > 0) await requireLinks(inside, write, before);
    const updated = await updateByRequest(writeOn(inside, collection), where, changes);
    if (write && updated > 0) {
      const keys = before.map((record) => ({ ...record, ...write.columns }));
      stayInScope(inside, write, conditionOfRecords(collection, keys), updated);
    }
    return updated;
  });
}

/**
 * Carry out `run` in a transaction. When a scope counts, the transaction begins before the check, so that the checked
 * records are the written ones.
 */
function inWrite<Result>(
  verb: 'create' | 'update',
  link: LinkCall,
  name: string,
  record: RecordData,
  run: (
    inside: LinkCall,
    parts: { readonly sent: SentRecord; readonly write: ScopedWrite | undefined },
  ) => Promise<Result>,
): Promise<Result> {
  const { engine } = link.reader;
  const collection = engine.collectionNamed(name);
  const sent = sentRecord(engine, collection, record);
  return inUnitOfCall(link.context, async (context) => {
    const write = await scopedWrite(link.reader, sent, verb, context);
    if (write) await context.unit?.writableStore(collection.store);
    return run({ ...link, context }, { sent, write });
  });
}

/**
 * Throws unless every key that is set leads into scope, and every record behind an imported field is in scope.
 *
 * @param before the records as they are; an empty one for a record that is yet to be made.
 */
async function requireLinks(inside: LinkCall, write: ScopedWrite, before: readonly RecordData[]): Promise<void> {
  const { engine } = inside.reader;
  const records = before.map((record) => ({ ...record, ...write.columns }));
  for (const { foreignCollection, join, scope } of write.keys) {
    const foreign = engine.collectionNamed(foreignCollection);
    const wanted = targetsOf(foreign, join, records);
    if (!wanted) continue;
    const found = await engine.count(foreign, intersect([wanted.where, scope]), inside.context);
    if (found < wanted.count) throw recordNotFound(foreign);
  }
  for (const { relation, write: partner } of write.partners) {
    const wanted = targetsOf(partner.collection, relation.join, records);
    const there = wanted ? await readColumns(inside, partner.collection, wanted.where, columnsOf(partner)) : [];
    if (partner.scope && there.length > 0) {
      const visible = intersect([conditionOfRecords(partner.collection, there), partner.scope]);
      const found = await engine.count(partner.collection, visible, inside.context);
      if (found < there.length) throw recordNotFound(partner.collection);
    }
    // The write makes a partner if there is none.
    await requireLinks(inside, partner, [...there, {}]);
  }
}

/** Before the commit, check that `count` records of `where` are in scope, and the records behind their imported fields. */
function stayInScope(inside: LinkCall, write: ScopedWrite, where: ConditionTree, count: number): void {
  inside.context.unit?.beforeCommit(() => requireInScope(inside, write, where, count));
}

async function requireInScope(
  inside: LinkCall,
  write: ScopedWrite,
  where: ConditionTree,
  count: number,
): Promise<void> {
  const { collection, scope, partners } = write;
  const visible = await readColumns(inside, collection, intersect([where, scope]), columnsOf(write));
  if (visible.length < count) throw await outOfScope(inside, write);
  for (const { relation, write: partner } of partners) {
    const wanted = targetsOf(partner.collection, relation.join, visible);
    if (wanted) await requireInScope(inside, partner, wanted.where, wanted.count);
  }
}

function columnsOf({ keys, partners }: ScopedWrite): readonly string[] {
  return [...keys.flatMap(({ join }) => join.map(({ local }) => local)), ...joinColumns(partners)];
}

async function outOfScope({ reader, context }: LinkCall, { collection, right }: ScopedWrite): Promise<CloudError> {
  const { name } = collection;
  const told = await toldScope(reader.model, reader.authoriser, context.caller, name, right);
  return cloudError(
    'RECORD_OUT_OF_SCOPE',
    [
      `With these values, a record of "${name}" would be outside of what you may see, so it was not written.`,
      ...(told === undefined ? [] : [`There, ${told}.`]),
    ].join(' '),
    'Give it values that are within your scope, or ask an administrator of the project for another scope.',
  );
}
