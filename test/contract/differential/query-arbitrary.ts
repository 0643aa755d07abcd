import fc, { type Arbitrary } from 'fast-check';
import { type Aggregation, aggregateOperations, dateBuckets } from '#runtime/query/aggregation';
import type { CollectionSchema, ColumnSchema, FieldSchema } from '#runtime/query/collection-schema';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { type Operator, operatorArguments, operatorsOfType } from '#runtime/query/operators';
import type { Page, RecordData, SortClause } from '#runtime/query/record-query';
import type { NeutralTable, NeutralType } from '../data-source/tables.ts';
import { comparedValueOf, storedValueOf, text } from './value-arbitraries.ts';

interface Common {
  readonly collection: string;
  readonly where: ConditionTree | undefined;
  readonly timezone: string;
}

export type Query =
  | (Common & {
      readonly kind: 'list';
      readonly projection: readonly string[];
      readonly sort: readonly SortClause[];
      readonly page: Page | undefined;
    })
  | (Common & { readonly kind: 'count' })
  | (Common & { readonly kind: 'aggregate'; readonly aggregation: Aggregation; readonly limit: number | undefined })
  | (Common & { readonly kind: 'update'; readonly patch: RecordData })
  | (Common & { readonly kind: 'delete' });

/** A column that can be asked for, and how it is reached. */
export interface ReachableColumn {
  readonly path: string;
  readonly type: NeutralType;
  readonly column: ColumnSchema;
  /** Whether the path goes through a to-many relation. */
  readonly isMany: boolean;
}

const zones = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'Asia/Tokyo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'America/St_Johns',
];

/**
 * Queries of every kind on the tables that have a key of one column, through relations as well. Only a table that none
 * refers to loses rows.
 */
export function queryOn(tables: readonly NeutralTable[], collections: readonly CollectionSchema[]): Arbitrary<Query> {
  return fc.constantFrom(...tables.filter(({ primaryKey }) => primaryKey.length === 1)).chain((table) => {
    const columns = reachableColumns(tables, collections, table.name, 2);
    const behindMany = reachableColumns(tables, collections, table.name, 3, true).filter(({ isMany }) => isMany);
    const where = fc.option(treeOn(columns, behindMany), { nil: undefined, freq: 12 });
    const common = { collection: fc.constant(table.name), where, timezone: fc.constantFrom(...zones) };
    const isReferredTo = tables.some(({ foreignKeys = [] }) => foreignKeys.some((key) => key.table === table.name));
    return fc.oneof(
      { weight: 5, arbitrary: listOn(columns, common) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('count'), ...common }) },
      { weight: 4, arbitrary: aggregateOn(columns, common) },
      { weight: 1, arbitrary: updateOn(columns, common) },
      ...(isReferredTo ? [] : [{ weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), ...common }) }]),
    ) as Arbitrary<Query>;
  });
}

type CommonArbitraries = { readonly [Field in keyof Common]: Arbitrary<Common[Field]> };

function listOn(columns: readonly ReachableColumn[], common: CommonArbitraries): Arbitrary<Query> {
  const sortable = columns.filter(({ column }) => column.isSortable).map(({ path }) => path);
  const clause = fc.record({ field: fc.constantFrom(...sortable), ascending: fc.boolean() });
  return fc.record({
    kind: fc.constant('list' as const),
    ...common,
    projection: fc.subarray(
      columns.map(({ path }) => path),
      { minLength: 1 },
    ),
    // The key at the end leaves no order open.
    sort: fc
      .uniqueArray(clause, { maxLength: 2, selector: ({ field }) => field })
      .map((clauses) => [...clauses.filter(({ field }) => field !== 'id'), { field: 'id', ascending: true }]),
    page: fc.option(fc.record({ skip: fc.nat(6), limit: fc.nat(6) }), { nil: undefined }),
  });
}

function aggregateOn(columns: readonly ReachableColumn[], common: CommonArbitraries): Arbitrary<Query> {
  const groupable = columns.filter(({ column }) => column.isGroupable);
  const group = fc.constantFrom(...groupable).chain(({ path, column }) => {
    const isTemporal = column.type === 'Date' || column.type === 'Dateonly';
    const bucket = isTemporal
      ? fc.option(fc.constantFrom(...dateBuckets), { nil: undefined, freq: 6 })
      : fc.constant(undefined);
    return fc.record({ field: fc.constant(path), bucket });
  });
  const groups = fc.uniqueArray(group, { maxLength: 2, selector: ({ field }) => field });
  return fc.record({
    kind: fc.constant('aggregate' as const),
    ...common,
    aggregation: fc.tuple(operationOn(columns), groups).map(([operation, by]) => ({ ...operation, groups: by })),
    limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  });
}

function operationOn(columns: readonly ReachableColumn[]): Arbitrary<Pick<Aggregation, 'operation' | 'field'>> {
  const ordered = new Set(['Number', 'String', 'Date', 'Dateonly', 'Time', 'Enum']);
  return fc.constantFrom(...aggregateOperations).chain((operation) => {
    const isSum = operation === 'Sum' || operation === 'Avg';
    const fitting = columns
      .filter(({ column }) => operation === 'Count' || (isSum ? isSummable(column) : ordered.has(String(column.type))))
      .map(({ path }) => path);
    const field = fc.constantFrom(...fitting);
    // Only a count can do without a field.
    const maybe = operation === 'Count' ? fc.option(field, { nil: undefined }) : field;
    return fc.record({ operation: fc.constant(operation), field: maybe });
  });
}

/** The sum of quotients differs in its last digits by the order in which an engine adds them. */
function isSummable({ type, isExact, expression }: ColumnSchema): boolean {
  return type === 'Number' && (isExact || expression === undefined);
}

function updateOn(columns: readonly ReachableColumn[], common: CommonArbitraries): Arbitrary<Query> {
  const own = columns.filter(
    ({ path, column }) => !path.includes(':') && path !== 'id' && !/^r\d+_id$/.test(path) && !column.expression,
  );
  return fc.constantFrom(...own).chain(({ path, type }) =>
    fc.record({
      kind: fc.constant('update' as const),
      ...common,
      patch: fc.option(storedValueOf(type), { nil: null }).map((value) => ({ [path]: value })),
    }),
  );
}

export function treeOn(
  columns: readonly ReachableColumn[],
  behindMany: readonly ReachableColumn[],
): Arbitrary<ConditionTree> {
  const ownLeaf = fc.constantFrom(...columns).chain(leafOn);
  const leaf =
    behindMany.length === 0
      ? ownLeaf
      : fc.oneof(
          { weight: 3, arbitrary: ownLeaf },
          { weight: 2, arbitrary: fc.constantFrom(...behindMany).chain(leafOn) },
        );
  const branch = (conditions: Arbitrary<ConditionTree>): Arbitrary<ConditionTree> =>
    fc.record({ aggregator: fc.constantFrom('And', 'Or'), conditions: fc.array(conditions, { maxLength: 3 }) });
  const shallow = fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 2, arbitrary: branch(leaf) });
  return fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 4, arbitrary: branch(shallow) });
}

function leafOn({ path, type, column }: ReachableColumn): Arbitrary<ConditionTree> {
  return fc
    .constantFrom(...operatorsOn(column))
    .chain((operator) => valueFor(operator, type, column).map((value) => ({ field: path, operator, value })));
}

const unordered: readonly Operator[] = ['Present', 'Blank', 'Missing'];

/** What every engine can do. */
function operatorsOn({ type }: ColumnSchema): readonly Operator[] {
  if (type === 'Json' || type === 'Binary') return unordered;
  const operators = [...operatorsOfType(type)].filter((operator) => !operator.startsWith('Includes'));
  return [...new Set<Operator>([...operators, 'In', 'NotIn'])];
}

function valueFor(operator: Operator, type: NeutralType, column: ColumnSchema): Arbitrary<unknown> {
  const value = comparedValueOf(type);
  switch (operatorArguments[operator]) {
    case 'none':
      return fc.constant(null);
    case 'number':
      return column.type === 'String' ? fc.integer({ min: -1, max: 7 }) : fc.integer({ min: 1, max: 500 });
    case 'list':
      return fc.array(fc.option(value, { nil: null, freq: 6 }), { maxLength: 5 });
    case 'value':
      if (operator === 'Equal' || operator === 'NotEqual') return fc.option(value, { nil: null, freq: 8 });
      return column.type === 'String' ? text : value;
  }
}

/** Columns of the collection and, through at most `depth` relations, of others. */
export function reachableColumns(
  tables: readonly NeutralTable[],
  collections: readonly CollectionSchema[],
  name: string,
  depth: number,
  goesThroughMany = false,
): ReachableColumn[] {
  const fields: readonly FieldSchema[] = [
    ...(collections.find((collection) => collection.name === name)?.fields.values() ?? []),
  ];
  const table = tables.find((candidate) => candidate.name === name);
  return fields.flatMap((field): ReachableColumn[] => {
    if (field.kind === 'column') {
      const type = table?.columns.find((column) => column.name === field.name)?.type ?? 'text';
      return [{ path: field.name, type, column: field, isMany: false }];
    }
    const isMany = field.kind !== 'ManyToOne' && field.kind !== 'OneToOne';
    if (depth === 0 || (isMany && !goesThroughMany)) return [];
    const behind = reachableColumns(tables, collections, field.foreignCollection, depth - 1, goesThroughMany);
    return behind.map((column) => ({
      ...column,
      path: `${field.name}:${column.path}`,
      isMany: isMany || column.isMany,
    }));
  });
}
