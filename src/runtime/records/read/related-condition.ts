import { type CompiledCollection, isValueField, type ModelView } from '../../model/compiled-model.ts';
import { conditionOfKeys } from '../../model/record-id.ts';
import type {
  JoinPairs,
  ManyToManyRelation,
  OneToManyRelation,
  RelationSchema,
} from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from './record-engine.ts';

export type ToManyRelation = OneToManyRelation | ManyToManyRelation;

/**
 * The condition that selects the records behind a to-many relation of one record, on their collection.
 *
 * @param parent holds the columns that the relation starts from.
 */
export async function relatedCondition(
  engine: RecordEngine,
  relation: ToManyRelation,
  owner: CompiledCollection,
  parent: RecordData,
  call: CallContext,
): Promise<ConditionTree> {
  if (relation.kind === 'OneToMany') return keysEqual(relation.join, parent);
  const back = inverseOf(engine.model, owner, relation);
  // The parts of a key could be met by different records at the other end.
  if (back !== undefined && relation.originJoin.length === 1) {
    return keysEqual(
      relation.originJoin.map(({ local }) => ({ local, foreign: `${back}:${local}` })),
      parent,
    );
  }
  // The links are asked for first.
  const through = engine.collectionNamed(relation.throughCollection);
  const locals = relation.foreignJoin.map(({ local }) => local);
  const foreigns = relation.foreignJoin.map(({ foreign }) => foreign);
  const links = await engine.distinctKeys(through, locals, linkCondition(relation, parent), call);
  return conditionOfKeys(foreigns, [...links.values()]);
}

/** The rows of the through collection that link a record. */
export function linkCondition(relation: ManyToManyRelation, parent: RecordData): ConditionTree {
  return keysEqual(relation.originJoin, parent);
}

/** The columns of the other side have the values that this side has. A record without a value is linked to nothing. */
export function keysEqual(pairs: JoinPairs, record: RecordData): ConditionTree {
  const values = pairs.map(({ local }) => record[local] ?? null);
  if (values.includes(null)) return { aggregator: 'Or', conditions: [] };
  return {
    aggregator: 'And',
    conditions: pairs.map(({ foreign }, index) => ({ field: foreign, operator: 'Equal', value: values[index] })),
  };
}

/** The many-to-many relation over the same links, the other way round. */
function inverseOf(model: ModelView, owner: CompiledCollection, relation: ManyToManyRelation): string | undefined {
  const foreign = model.collections.get(relation.foreignCollection);
  for (const field of foreign?.fields.values() ?? []) {
    if (!isValueField(field) && isInverse(field, owner, relation)) return field.name;
  }
  return undefined;
}

function isInverse(field: RelationSchema, owner: CompiledCollection, relation: ManyToManyRelation): boolean {
  if (field.kind !== 'ManyToMany' || field.foreignCollection !== owner.name || field === relation) return false;
  return (
    field.throughCollection === relation.throughCollection &&
    isMirrored(field.originJoin, relation.foreignJoin) &&
    isMirrored(field.foreignJoin, relation.originJoin)
  );
}

function isMirrored(a: JoinPairs, b: JoinPairs): boolean {
  return (
    a.length === b.length &&
    a.every((pair) => b.some((other) => other.local === pair.foreign && other.foreign === pair.local))
  );
}
