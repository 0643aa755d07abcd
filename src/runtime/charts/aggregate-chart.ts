import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { TimeRange } from '../customizer/chart-definition.ts';
import { type CompiledCollection, isValueField, type ModelView } from '../model/compiled-model.ts';
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
    throw refused(`"${name}" of "${collection.name}" is no relation to many records.`, name);
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

/** The to-one relation between two collections by these very columns. */
function wayBack(model: ModelView, from: string, to: string, join: JoinPairs, relation: string): string {
  for (const field of model.collections.get(from)?.fields.values() ?? []) {
    if (isValueField(field) || (field.kind !== 'ManyToOne' && field.kind !== 'OneToOne')) continue;
    if (field.foreignCollection === to && sameJoin(field.join, join)) return field.name;
  }
  throw refused(`"${relation}" cannot be ranked: "${from}" has no relation to "${to}".`, relation);
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
  return cloudError('REQUEST_INVALID', message, 'Name a relation to many records of which both ends are served.', {
    details: { field },
  });
}
