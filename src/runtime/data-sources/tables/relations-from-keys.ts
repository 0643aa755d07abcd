import pluralize from 'pluralize';
import type { JoinPairs, RelationSchema } from '../../query/collection-schema.ts';
import type { ForeignKeyDescription, TableDescription } from './table-description.ts';

interface Candidate {
  readonly table: string;
  /** The name wanted, and the one taken when the first collides. */
  readonly name: string;
  readonly longName: string;
  build(name: string): RelationSchema;
}

/**
 * The relations that the foreign keys of a database amount to, by table, each name free of collisions. Both ends of a
 * collision take the long form `<name>_through_<table>_<key>`, then a number, so that the names do not depend on the
 * order of the catalogue. A relation to one record takes it too where it would be named like its own table: requests name
 * the fields of both as `fields[<name>]`.
 */
export function relationsFromKeys(tables: readonly TableDescription[]): ReadonlyMap<string, RelationSchema[]> {
  const candidates = tables.flatMap((table) => [
    ...table.foreignKeys.flatMap((key) => directRelations(table, key)),
    ...throughRelations(table),
  ]);
  const byTable = Map.groupBy(candidates.map(addressable), (candidate) => candidate.table);
  return new Map(
    tables.map((table) => [
      table.name,
      named(
        byTable.get(table.name) ?? [],
        table.columns.map((column) => column.name),
      ),
    ]),
  );
}

/** Names come from those of tables, which may hold the sign that paths are divided by. */
function addressable(candidate: Candidate): Candidate {
  const { name, longName } = candidate;
  return { ...candidate, name: name.replaceAll(':', '_'), longName: longName.replaceAll(':', '_') };
}

function directRelations(table: TableDescription, key: ForeignKeyDescription): Candidate[] {
  const join: JoinPairs = pairs(key.columns, key.foreignColumns);
  const inverse: JoinPairs = pairs(key.foreignColumns, key.columns);
  const foreignCollection = key.foreignTable;
  const keyName = key.columns.join('_');
  const isUnique =
    !table.hasChildTables && [table.primaryKey, ...table.uniqueKeys].some((unique) => isSameSet(unique, key.columns));
  const inverseName = isUnique ? pluralize.singular(table.name) : pluralize.plural(table.name);
  return [
    {
      table: table.name,
      name: toOneName(key),
      longName: `${pluralize.singular(foreignCollection)}_through_${keyName}`,
      build: (name) => ({ kind: 'ManyToOne', name, foreignCollection, join }),
    },
    {
      table: foreignCollection,
      name: inverseName,
      longName: `${inverseName}_through_${table.name}_${keyName}`,
      build: (name) => ({
        kind: isUnique ? 'OneToOne' : 'OneToMany',
        name,
        foreignCollection: table.name,
        join: inverse,
        ...(key.onDelete ? { onDelete: key.onDelete } : {}),
      }),
    },
  ];
}

/** A table whose key is exactly two foreign keys links their tables, both ways. */
function throughRelations(table: TableDescription): Candidate[] {
  const keys = table.foreignKeys.filter((key) => key.columns.every((column) => table.primaryKey.includes(column)));
  const [first, second] = keys;
  if (!first || !second || keys.length !== 2) return [];
  if (!isSameSet([...first.columns, ...second.columns], table.primaryKey)) return [];
  return [throughRelation(table, first, second), throughRelation(table, second, first)];
}

function throughRelation(
  table: TableDescription,
  origin: ForeignKeyDescription,
  foreign: ForeignKeyDescription,
): Candidate {
  const name = pluralize.plural(toOneName(foreign));
  return {
    table: origin.foreignTable,
    name,
    longName: `${name}_through_${table.name}`,
    build: (taken) => ({
      kind: 'ManyToMany',
      name: taken,
      foreignCollection: foreign.foreignTable,
      throughCollection: table.name,
      originJoin: pairs(origin.foreignColumns, origin.columns),
      foreignJoin: pairs(foreign.columns, foreign.foreignColumns),
    }),
  };
}

function toOneName(key: ForeignKeyDescription): string {
  const [column] = key.columns;
  const base = key.columns.length === 1 ? /^(.+?)(?:_id|Id|_ID)$/.exec(column ?? '')?.[1] : undefined;
  return base ?? pluralize.singular(key.foreignTable);
}

function named(candidates: readonly Candidate[], columns: readonly string[]): RelationSchema[] {
  const wanted = Map.groupBy(candidates, (candidate) => candidate.name);
  const taken = new Set(columns);
  const isFree = (candidate: Candidate) =>
    wanted.get(candidate.name)?.length === 1 && !columns.includes(candidate.name) && !isNamedLikeItsTable(candidate);
  for (const candidate of candidates.filter(isFree)) taken.add(candidate.name);
  return candidates.map((candidate) => {
    if (isFree(candidate)) return candidate.build(candidate.name);
    let name = candidate.longName;
    for (let number = 2; taken.has(name); number++) name = `${candidate.longName}_${number}`;
    taken.add(name);
    return candidate.build(name);
  });
}

function isNamedLikeItsTable({ table, name, build }: Candidate): boolean {
  return name === table && ['ManyToOne', 'OneToOne'].includes(build(name).kind);
}

function pairs(local: readonly string[], foreign: readonly string[]): JoinPairs {
  return local.map((name, index) => ({ local: name, foreign: foreign[index] ?? '' }));
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
