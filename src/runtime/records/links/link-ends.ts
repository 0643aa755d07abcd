import { type CompiledCollection, knownName, relationNamed } from '../../model/compiled-model.ts';
import { idCondition, recordNotFound, soleRecord } from '../../model/record-id.ts';
import type { RelationSchema } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import { type CallContext, readInput } from '../calls/call-context.ts';
import { createPathShaper } from '../read/plan-projection.ts';
import { intersect, scopeCondition } from '../read/record-filter.ts';
import type { RelationEnd } from '../request/link-service.ts';
import type { RecordReader } from '../request/record-reader.ts';
import type { ReportError, WriteRequest } from '../write/record-writes.ts';
import type { WriteTerms } from '../write/store-writes.ts';

/** The parts that reading and writing links needs, for one request. */
export interface LinkCall extends WriteTerms {
  readonly reader: RecordReader;
  readonly report: ReportError;
  readonly context: CallContext;
}

/** Both ends of a link, and the record at the near one. */
export interface LinkEnds {
  /** In original names. */
  readonly owner: CompiledCollection;
  readonly relation: RelationSchema;
  /** Published, for rights and ids. */
  readonly foreign: CompiledCollection;
  /** The columns of the near record that the relation starts from, and its key. */
  readonly parent: RecordData;
}

/** Throws `REQUEST_NOT_FOUND` when there is no such relation, or the record is not there or out of scope. */
export async function linkEnds(
  link: LinkCall,
  end: RelationEnd,
  kinds: readonly RelationSchema['kind'][],
): Promise<LinkEnds> {
  const { model, engine, authoriser } = link.reader;
  const { collection, foreign } = relationNamed(model, end.collection, end.relation, kinds);
  const owner = engine.collectionNamed(collection.name);
  // A field that is published as a relation is a relation under its original name too.
  const relation = owner.fields.get(model.names.originalPath(collection.name, end.relation)) as RelationSchema;
  const right = relation.kind === 'ManyToOne' ? 'edit' : 'read';
  const scope = await scopeCondition(model, collection, authoriser, link.context.caller, right);
  const id = model.names.originalTree(collection.name, idCondition(collection, readInput(end.id)));
  const pairs = relation.kind === 'ManyToMany' ? relation.originJoin : relation.join;
  const columns = pairs.map(({ local }) => local);
  const parent = soleRecord(owner, await readColumns(link, owner, intersect([id, scope]), columns));
  if (!parent) throw recordNotFound(collection);
  return { owner, relation, foreign, parent };
}

/** The condition of the far record, as far as the caller may link it: one that holds the key is written. */
export async function reachableTarget(
  { reader: { model, authoriser }, context }: LinkCall,
  foreign: CompiledCollection,
  { kind }: RelationSchema,
  id: readonly unknown[],
): Promise<ConditionTree | undefined> {
  const right = kind === 'ManyToOne' ? 'read' : 'edit';
  const scope = await scopeCondition(model, foreign, authoriser, context.caller, right);
  return intersect([model.names.originalTree(foreign.name, idCondition(foreign, id)), scope]);
}

/** The primary keys and some columns of records, in original names. */
export async function readColumns(
  { reader: { engine }, context }: Pick<LinkCall, 'reader' | 'context'>,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  columns: readonly string[],
): Promise<RecordData[]> {
  const projection = [...new Set([...collection.primaryKey, ...columns])];
  const records = await engine.list(collection, { where, projection }, context);
  return records.map(createPathShaper(engine.model, collection, projection));
}

/** A write to a collection as if it had been asked for, with its hooks and validations. */
export function writeOn(
  { reader: { model, engine }, report, context, tell, unchanged, keep }: LinkCall,
  { name }: CompiledCollection,
): WriteRequest {
  return {
    engine,
    collection: engine.collectionNamed(name),
    call: context,
    report,
    tell,
    unchanged,
    keep,
    label: (collection, field) => knownName(model, collection, field),
  };
}
