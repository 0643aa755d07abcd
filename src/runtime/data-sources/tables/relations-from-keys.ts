import pluralize from 'pluralize';
import type { JoinPairs, RelationSchema } from '../../query/collection-schema.ts';
import type { ForeignKeyDescription, TableDescription } from './table-description.ts';

interface Candidate {
  readonly table: string;
  readonly kind: RelationSchema['kind'];
  /** The name wanted. */
  readonly name: string;
  /** The one taken when that collides. Most names never do. */
  longName(): string;
  build(name: string): RelationSchema;
}

/**
 * The relations that the foreign keys of a database amount to, by table, each name free of collisions. Both ends of a
 * collision take the long form `<name>_through_<table>_<key>`, then a number, so that the names do not depend on the
 * order of the catalogue. A relation to one record takes it too where it would be named like its own table: requests name
 * the fields of both as `fields[<name>]`.
 */
export function relationsFromKeys(tables: readonly TableDescription[]): ReadonlyMap<string, RelationSchema[]> {
  const words = { singular: remembered(pluralize.singular), plural: remembered(pluralize.plural) };
  const candidates = tables.flatMap((table) => [
    ...table.foreignKeys.flatMap((key) => directRelations(table, key, words)),
    ...throughRelations(table, words),
  ]);
  const byTable = Map.groupBy(candidates, (candidate) => candidate.table);
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

/** The forms of the names of tables, each worked out once: many keys may lead to one table. */
interface Words {
  singular(word: string): string;
  plural(word: string): string;
}

function remembered(formOf: (word: string) => string): (word: string) => string {
  const forms = new Map<string, string>();
  return (word) => {
    const form = forms.get(word) ?? formOf(word);
    forms.set(word, form);
    return form;
  };
}

/** Names come from those of tables, which may hold the sign that paths are divided by. */
function addressable(name: string): string {
  return name.replaceAll(':', '_');
}

function directRelations(table: TableDescription, key: ForeignKeyDescription, words: Words): Candidate[] {
  const { foreignTable, onDelete } = key;
  const keyName = key.columns.join('_');
  const isUnique =
    !table.hasChildTables && [table.primaryKey, ...table.uniqueKeys].some((unique) => isSameSet(unique, key.columns));
  const inverseName = addressable(isUnique ? words.singular(table.name) : words.plural(table.name));
  const inverseKind = isUnique ? 'OneToOne' : 'OneToMany';
  const join: JoinPairs = pairs(key.columns, key.foreignColumns);
  const inverse: JoinPairs = pairs(key.foreignColumns, key.columns);
  return [
    {
      table: table.name,
      kind: 'ManyToOne',
      name: addressable(toOneName(key, words)),
      longName: () => addressable(`${words.singular(foreignTable)}_through_${keyName}`),
      build: (name) => ({ kind: 'ManyToOne', name, foreignCollection: foreignTable, join }),
    },
    {
      table: foreignTable,
      kind: inverseKind,
      name: inverseName,
      longName: () => addressable(`${inverseName}_through_${table.name}_${keyName}`),
      build: (name) => ({
        kind: inverseKind,
        name,
        foreignCollection: table.name,
        join: inverse,
        ...(onDelete ? { onDelete } : {}),
      }),
    },
  ];
}

/** A table whose key is exactly two foreign keys links their tables, both ways. */
function throughRelations(table: TableDescription, words: Words): Candidate[] {
  const keys = table.foreignKeys.filter((key) => key.columns.every((column) => table.primaryKey.includes(column)));
  const [first, second] = keys;
  if (!first || !second || keys.length !== 2) return [];
  if (!isSameSet([...first.columns, ...second.columns], table.primaryKey)) return [];
  return [throughRelation(table, first, second, words), throughRelation(table, second, first, words)];
}

function throughRelation(
  table: TableDescription,
  origin: ForeignKeyDescription,
  foreign: ForeignKeyDescription,
  words: Words,
): Candidate {
  const name = addressable(words.plural(toOneName(foreign, words)));
  return {
    table: origin.foreignTable,
    kind: 'ManyToMany',
    name,
    longName: () => addressable(`${name}_through_${table.name}`),
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

function toOneName(key: ForeignKeyDescription, words: Words): string {
  const [column] = key.columns;
  const base = key.columns.length === 1 ? /^(.+?)(?:[_ ]?Id|[_ ](?:id|ID))$/.exec(column ?? '')?.[1] : undefined;
  return base ?? words.singular(key.foreignTable);
}

function named(candidates: readonly Candidate[], columns: readonly string[]): RelationSchema[] {
  const wanted = Map.groupBy(candidates, (candidate) => candidate.name);
  const taken = new Set(columns);
  const hasItsName = candidates.map((candidate) => {
    const { name } = candidate;
    return wanted.get(name)?.length === 1 && !columns.includes(name) && !isNamedLikeItsTable(candidate);
  });
  for (const [index, { name }] of candidates.entries()) if (hasItsName[index]) taken.add(name);
  return candidates.map((candidate, index) => {
    if (hasItsName[index]) return candidate.build(candidate.name);
    const longName = candidate.longName();
    let name = longName;
    for (let number = 2; taken.has(name); number++) name = `${longName}_${number}`;
    taken.add(name);
    return candidate.build(name);
  });
}

function isNamedLikeItsTable({ table, name, kind }: Candidate): boolean {
  return name === table && (kind === 'ManyToOne' || kind === 'OneToOne');
}

function pairs(local: readonly string[], foreign: readonly string[]): JoinPairs {
  return local.map((name, index) => ({ local: name, foreign: foreign[index] ?? '' }));
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
