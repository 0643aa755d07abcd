import { DateTime } from 'luxon';
import { memoryOperatorsOf, tableOfMemory } from '#runtime/data-sources/memory/memory-schema';
import { collectionsFromTables } from '#runtime/data-sources/tables/collections-from-tables';
import { aggregateRecords } from '#runtime/query/aggregate-records';
import type { CollectionSchema, ColumnSchema, JoinPairs, RelationSchema } from '#runtime/query/collection-schema';
import { evaluateCondition } from '#runtime/query/evaluate-condition';
import { expressionReader } from '#runtime/query/evaluate-expression';
import type { RecordData } from '#runtime/query/record-query';
import { sortRecords } from '#runtime/query/sort-records';
import { memoryCollections } from '../data-source/memory-tables.ts';
import type { NeutralTable } from '../data-source/tables.ts';
import type { Query } from './query-arbitrary.ts';

export function schemasOf(tables: readonly NeutralTable[]): CollectionSchema[] {
  return collectionsFromTables(memoryCollections(tables).map(tableOfMemory), memoryOperatorsOf);
}

/** What every engine must answer: worked out record by record with the evaluator, in the plainest way. */
export function createOracle(
  tables: readonly NeutralTable[],
  collections: readonly CollectionSchema[] = schemasOf(tables),
) {
  const schemas = new Map(collections.map((schema) => [schema.name, schema]));
  const rows = new Map(tables.map((table) => [table.name, table.rows.map((row) => filled(table, row))]));

  function columnAt(collection: string, path: string): ColumnSchema {
    const [step = '', ...rest] = path.split(':');
    const field = schemas.get(collection)?.fields.get(step);
    if (field?.kind === 'column') return field;
    if (!field) throw new Error(`There is no ${path} in ${collection}.`);
    return columnAt(field.foreignCollection, rest.join(':'));
  }

  function relationAt(collection: string, path: string): RelationSchema {
    const [step = '', ...rest] = path.split(':');
    const field = schemas.get(collection)?.fields.get(step);
    if (!field || field.kind === 'column') throw new Error(`There is no relation ${path} in ${collection}.`);
    return rest.length === 0 ? field : relationAt(field.foreignCollection, rest.join(':'));
  }

  /** Relations lead in circles: what is behind one is made when it is asked for, and so is an expression. */
  function nested(collection: string, row: RecordData, now: DateTime): RecordData {
    const record = { ...row };
    for (const field of schemas.get(collection)?.fields.values() ?? []) {
      if (field.kind === 'column' && !field.expression) continue;
      const get = () =>
        field.kind === 'column' ? computed(collection, field, record, now) : partnersOf(field, row, now);
      Object.defineProperty(record, field.name, { enumerable: true, get });
    }
    return record;
  }

  function computed(collection: string, { expression }: ColumnSchema, record: RecordData, now: DateTime): unknown {
    return expression && expressionReader(expression, (path) => columnAt(collection, path), now)(record);
  }

  function partnersOf(field: RelationSchema, row: RecordData, now: DateTime): unknown {
    const related = relatedRows(field, row).map((partner) => nested(field.foreignCollection, partner, now));
    return isToManyRelation(field) ? related : (related[0] ?? null);
  }

  function relatedRows(field: RelationSchema, row: RecordData): RecordData[] {
    if (field.kind !== 'ManyToMany') return matches(field.foreignCollection, field.join, row);
    const links = matches(field.throughCollection, field.originJoin, row);
    return links.flatMap((link) => matches(field.foreignCollection, field.foreignJoin, link));
  }

  function matches(collection: string, join: JoinPairs, row: RecordData): RecordData[] {
    const candidates = rows.get(collection) ?? [];
    return candidates.filter((candidate) =>
      join.every(({ local, foreign }) => row[local] !== null && candidate[foreign] === row[local]),
    );
  }

  return function answer(query: Query): unknown {
    const { collection, where, timezone } = query;
    const lookup = (path: string) => columnAt(collection, path);
    const now = DateTime.now().setZone(timezone);
    const all = rows.get(collection) ?? [];
    const isToMany = (path: string) => isToManyRelation(relationAt(collection, path));
    const found = all.filter((row) => evaluateCondition(nested(collection, row, now), where, lookup, now, isToMany));
    const records = found.map((row) => nested(collection, row, now));
    switch (query.kind) {
      case 'count':
        return found.length;
      case 'list': {
        const { skip, limit } = query.page ?? { skip: 0, limit: records.length };
        return sortRecords(records, query.sort, lookup)
          .slice(skip, skip + limit)
          .map((record) => projected(record, query.projection));
      }
      case 'aggregate':
        return aggregateRecords(records, query.aggregation, lookup, timezone, query.limit);
      case 'update':
        rows.set(
          collection,
          all.map((row) => (found.includes(row) ? { ...row, ...query.patch } : row)),
        );
        return found.length;
      case 'delete':
        rows.set(
          collection,
          all.filter((row) => !found.includes(row)),
        );
        return found.length;
    }
  };
}

function isToManyRelation({ kind }: RelationSchema): boolean {
  return kind === 'OneToMany' || kind === 'ManyToMany';
}

function filled(table: NeutralTable, row: RecordData): RecordData {
  return Object.fromEntries(table.columns.map(({ name }) => [name, row[name] ?? null]));
}

function projected(record: RecordData, paths: readonly string[]): RecordData {
  const result: Record<string, unknown> = {};
  const behind = Map.groupBy(paths, (path) => (path.includes(':') ? path.slice(0, path.indexOf(':')) : ''));
  for (const [relation, reached] of behind) {
    if (relation === '') {
      for (const path of reached) result[path] = record[path];
      continue;
    }
    const partner = record[relation] as RecordData | null;
    const rest = reached.map((path) => path.slice(relation.length + 1));
    result[relation] = partner && projected(partner, rest);
  }
  return result;
}
