import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { TimeRange } from '../customizer/chart-definition.ts';
import { type CompiledCollection, columnOf, isValueField, type ModelView } from '../model/compiled-model.ts';
import { joinPath } from '../model/field-path.ts';
import type { AggregateOperation } from '../query/aggregation.ts';
import type { JoinPairs, ManyToManyRelation, OneToManyRelation } from '../query/collection-schema.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { GroupQuery } from '../records/request/record-service.ts';

/** The number that a chart counts or adds up. */
export interface ChartMeasure {
  readonly operation: AggregateOperation;
  readonly field?: string | undefined;
}

interface ChartOf {
  readonly measure: ChartMeasure;
  readonly where: ConditionTree | undefined;
}

/** One number. */
export interface NumberChart extends ChartOf {
  readonly type: 'Value' | 'Objective';
}

/** One number for each value of a field. */
interface PieChart extends ChartOf {
  readonly type: 'Pie';
  readonly groupBy: string;
}

/** One number for each period of time. */
export interface LineChart extends ChartOf {
  readonly type: 'Line';
  readonly groupBy: string;
  readonly timeRange: TimeRange;
}

/** The records with the highest numbers, measured on their related records. */
export interface LeaderboardChart extends ChartOf {
  readonly type: 'Leaderboard';
  /** A field of the collection. */
  readonly label: string;
  /** A to-many relation of the collection; its records are measured. */
  readonly relation: string;
  readonly limit: number;
}

/** A chart over the records of one collection, in published names. */
export type AggregateChart = NumberChart | PieChart | LineChart | LeaderboardChart;

export type AggregateChartType = AggregateChart['type'];

/**
 * A leaderboard as an aggregation of the related collection, or of the one in between, grouped by the label at the other end.
 * Throws `REQUEST_INVALID` when no relation leads back.
 */
export function leaderboardQuery(
  model: ModelView,
  collection: CompiledCollection,
  { measure, where, label, relation: name, limit }: LeaderboardChart,
): GroupQuery {
  const relation = collection.fields.get(name);
  if (!relation || isValueField(relation) || (relation.kind !== 'OneToMany' && relation.kind !== 'ManyToMany')) {
    throw refused(`"${name}" of "${collection.name}" is not a relation to many records.`, name);
  }
  if (relation.kind === 'OneToMany') {
    const back = wayBack(model, relation.foreignCollection, collection.name, inverted(relation.join), name);
    return {
      collection: relation.foreignCollection,
      aggregation: { ...measure, groups: [{ field: joinPath(back, label) }] },
      among: [{ relation: back, where }],
      limit,
    };
  }
  return throughQuery(model, collection, relation, { measure, where, label, limit });
}

function throughQuery(
  model: ModelView,
  collection: CompiledCollection,
  relation: ManyToManyRelation,
  { measure, where, label, limit }: Pick<LeaderboardChart, 'measure' | 'where' | 'label' | 'limit'>,
): GroupQuery {
  const { throughCollection, foreignCollection, originJoin, foreignJoin, name } = relation;
  const back = wayBack(model, throughCollection, collection.name, inverted(originJoin), name);
  const onward = wayBack(model, throughCollection, foreignCollection, foreignJoin, name);
  const field = measure.field === undefined ? undefined : joinPath(onward, measure.field);
  return {
    collection: throughCollection,
    aggregation: { operation: measure.operation, field, groups: [{ field: joinPath(back, label) }] },
    among: [{ relation: back, where }, { relation: onward }],
    limit,
  };
}

/** The column that records are grouped by where a chart names their relation to one other record: the one that holds its key. */
export function keyToGroupBy({ fields }: CompiledCollection, name: string): string | undefined {
  const relation = fields.get(name);
  if (!relation || isValueField(relation) || relation.kind !== 'ManyToOne' || relation.join.length !== 1)
    return undefined;
  const [key] = relation.join.flatMap(({ local }) => fields.get(local) ?? []);
  return key && isValueField(key) && columnOf(key).isGroupable ? key.name : undefined;
}

/** The to-one relation between two collections by these very columns. */
function wayBack(model: ModelView, from: string, to: string, join: JoinPairs, relation: string): string {
  for (const field of model.collections.get(from)?.fields.values() ?? []) {
    if (isValueField(field) || (field.kind !== 'ManyToOne' && field.kind !== 'OneToOne')) continue;
    if (field.foreignCollection === to && sameJoin(field.join, join)) return field.name;
  }
  const keys = join.map(({ local }) => `"${local}"`).join(' and ');
  throw cloudError(
    'REQUEST_INVALID',
    `"${relation}" cannot be ranked: no relation of "${from}" leads to "${to}" by ${keys}.`,
    `Add a relation to one record of "${to}" to "${from}", with addManyToOneRelation.`,
    { details: { field: relation } },
  );
}

function inverted(join: OneToManyRelation['join']): JoinPairs {
  return join.map(({ local, foreign }) => ({ local: foreign, foreign: local }));
}

function sameJoin(a: JoinPairs, b: JoinPairs): boolean {
  return (
    a.length === b.length &&
    a.every(({ local, foreign }) => b.some((pair) => pair.local === local && pair.foreign === foreign))
  );
}

function refused(message: string, field: string): CloudError {
  return cloudError('REQUEST_INVALID', message, 'Name a relation to many records whose both ends are served.', {
    details: { field },
  });
}
