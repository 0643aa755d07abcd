import { checkAggregation } from '../../model/check-query.ts';
import { type CompiledCollection, collectionNamed } from '../../model/compiled-model.ts';
import type { Aggregation } from '../../query/aggregation.ts';
import type { ToOneRelation } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { nestCondition } from '../../query/record-path.ts';
import type { CallContext } from '../calls/call-context.ts';
import { intersect } from '../read/record-filter.ts';
import { runHooks } from '../read/run-hooks.ts';
import { contextFilter } from './plan-query.ts';
import type { RecordReader } from './record-reader.ts';
import type { LinkedRecords, RecordService } from './record-service.ts';

/** Aggregates what a request asks for, its rights on all that it names checked. */
export function aggregator(reader: RecordReader): RecordService['aggregate'] {
  const { model, authoriser, engine } = reader;
  return async (asked, context) => {
    const collection = collectionNamed(model, asked.collection);
    await authoriser.require(context.caller, collection.name, 'browse');
    const { aggregation, limit, among = [], ...selection } = 'read' in asked ? asked.read() : asked;
    await authoriser.requireReadOn(context.caller, checkAggregation(model, collection, aggregation));
    const parts = [await reader.filterOf(collection, selection, 'browse', context)];
    for (const linked of among) parts.push(await linkedCondition(reader, collection, linked, context));
    const condition = intersect(parts);

    const original = engine.collectionNamed(collection.name);
    const named = originalAggregation(reader, collection, aggregation);
    const translated = await reader.scopesOf(context).aggregation(original, named);
    const facts = {
      filter: Object.freeze(contextFilter(condition, selection)),
      aggregation: {
        ...translated,
        groups: translated.groups.map(({ field, bucket: operation }) => ({ field, operation })),
      },
      limit,
    };
    await runHooks(engine, original, 'Before', 'Aggregate', facts, context);
    const rows = await engine.aggregate(original, condition, translated, limit, context);
    await runHooks(engine, original, 'After', 'Aggregate', { ...facts, aggregateResult: rows }, context);
    // In the order they were asked for, so that nobody has to know the original names.
    return rows.map(({ value, group }) => ({
      value,
      groups: translated.groups.map(({ field }) => group[field] ?? null),
    }));
  };
}

/** Only records that lead to one the caller may see, and that fulfils the condition. */
async function linkedCondition(
  reader: RecordReader,
  root: CompiledCollection,
  { relation, where }: LinkedRecords,
  context: CallContext,
): Promise<ConditionTree> {
  const { model, engine } = reader;
  const path = model.names.originalPath(root.name, relation);
  const field = engine.collectionNamed(root.name).fields.get(path) as ToOneRelation;
  const condition = await reader.filterOf(collectionNamed(model, field.foreignCollection), { where }, 'read', context);
  const isThere = field.join.map(({ foreign }) => ({ field: foreign, operator: 'Present' as const }));
  return nestCondition({ aggregator: 'And', conditions: condition ? [condition, ...isThere] : isThere }, path);
}

function originalAggregation(
  { model }: RecordReader,
  { name }: CompiledCollection,
  { operation, field, groups }: Aggregation,
): Aggregation {
  const original = (path: string) => model.names.originalPath(name, path);
  return {
    operation,
    ...(field === undefined ? {} : { field: original(field) }),
    groups: groups.map((group) => ({ ...group, field: original(group.field) })),
  };
}
