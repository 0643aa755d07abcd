import fc, { type Arbitrary } from 'fast-check';
import type { RecordData } from '#runtime/query/record-query';
import type { NeutralColumn, NeutralForeignKey, NeutralTable, NeutralType } from '../data-source/tables.ts';
import { storedValueOf } from './value-arbitraries.ts';

export interface DatabaseOptions {
  /** Digits of a decimal column, and those after its point. */
  readonly decimal: readonly [precision: number, scale: number];
  /** Column types that the engines do not have. */
  readonly withoutTypes?: readonly NeutralType[] | undefined;
  /** Characters that the engines do not order as the others do. */
  readonly withoutCharacters?: RegExp | undefined;
}

const tableNames = ['order', 'Two Words', 'qu"o\'te', 'plain', 'snow☃', 'group'];
const nameParts = [
  'name',
  'select',
  'Two Words',
  'qu\'"`o',
  'back\\slash',
  'snow☃',
  'UPPER',
  'a.b',
  'per%cent',
  'x_id',
];

/**
 * Two or three tables, each with to-one relations to those before it or to itself, and rows; sometimes one more that links
 * the first with the second or with itself, many to many.
 */
export function databaseOf(options: DatabaseOptions): Arbitrary<readonly NeutralTable[]> {
  return fc
    .tuple(
      fc.shuffledSubarray(tableNames, { minLength: 2, maxLength: 3 }),
      fc.array(columnTypes(options), { minLength: 3, maxLength: 3 }),
      fc.boolean(),
      fc.constantFrom(undefined, 0, 1),
    )
    .chain(([names, types, hasSelfReference, linked]) => {
      const empty = names.map((name, index) => emptyTable(names, name, index, types[index] ?? [], hasSelfReference));
      const tables = fc.tuple(...empty.map((table) => rowsOf(table, options))).map((rows) => linkRows(empty, rows));
      return linked === undefined ? tables : tables.chain((made) => withLinks(made, linked));
    });
}

/** The tables and one whose rows each link a row of the first with one of the table at `linked`. */
function withLinks(tables: readonly NeutralTable[], linked: number): Arbitrary<readonly NeutralTable[]> {
  const [from, to] = [tables[0], tables[linked]];
  const pairs = (from?.rows ?? []).flatMap((row) =>
    (to?.rows ?? []).map((other) => ({ a_id: row['id'], b_id: other['id'] })),
  );
  return fc.subarray(pairs, { maxLength: Math.min(pairs.length, 24) }).map((rows) => [
    ...tables,
    {
      name: 'links',
      columns: [
        { name: 'a_id', type: 'integer' },
        { name: 'b_id', type: 'integer' },
      ],
      primaryKey: ['a_id', 'b_id'],
      foreignKeys: [
        { columns: ['a_id'], table: from?.name ?? '', foreignColumns: ['id'] },
        { columns: ['b_id'], table: to?.name ?? '', foreignColumns: ['id'] },
      ],
      rows,
    },
  ]);
}

function columnTypes({ decimal, withoutTypes = [] }: DatabaseOptions): Arbitrary<readonly NeutralType[]> {
  const types: readonly NeutralType[] = [
    'text',
    'integer',
    'instant',
    { decimal },
    'bigint',
    'day',
    'float',
    'boolean',
    'time',
    'uuid',
    'json',
    'binary',
    { enum: ['a', 'B', "it's", 'é'] },
  ];
  return fc
    .shuffledSubarray(
      types.slice(1).filter((type) => !withoutTypes.includes(type)),
      { minLength: 3, maxLength: 7 },
    )
    .map((chosen) => ['text', ...chosen] as const);
}

function emptyTable(
  names: readonly string[],
  name: string,
  index: number,
  types: readonly NeutralType[],
  hasSelfReference: boolean,
): NeutralTable {
  const targets = [...names.slice(0, index), ...(hasSelfReference && index === 0 ? [name] : [])];
  const references = targets.map(
    (table, at): NeutralForeignKey => ({ columns: [`r${at}_id`], table, foreignColumns: ['id'] }),
  );
  const columns: NeutralColumn[] = [
    { name: 'id', type: 'integer' },
    ...references.map((key) => ({ name: key.columns[0] ?? '', type: 'integer' }) as const),
    ...types.map((type, at) => ({ name: `${nameParts[(index * 3 + at) % nameParts.length]}${at}`, type })),
  ];
  return { name, columns, primaryKey: ['id'], foreignKeys: references, rows: [] };
}

/** References are drawn as any number, and resolved when the rows of every table are known. */
function rowsOf(table: NeutralTable, { withoutCharacters }: DatabaseOptions): Arbitrary<readonly RecordData[]> {
  const references = new Set((table.foreignKeys ?? []).flatMap((key) => key.columns));
  const fields = table.columns
    .filter(({ name }) => name !== 'id')
    .map(({ name, type }) => {
      const stored: Arbitrary<unknown> = references.has(name) ? fc.nat(1000) : storedValueOf(type);
      const isLeftOut = (text: unknown) => typeof text === 'string' && withoutCharacters?.test(text) === true;
      const value = type === 'text' ? stored.filter((text) => !isLeftOut(text)) : stored;
      return [name, fc.option(value, { nil: null, freq: 4 })] as const;
    });
  const row = fc.record(Object.fromEntries(fields));
  return fc
    .oneof(
      { weight: 1, arbitrary: fc.array(row, { maxLength: 3 }) },
      { weight: 4, arbitrary: fc.array(row, { minLength: 6, maxLength: 16, size: 'max' }) },
    )
    .map((rows) => rows.map((fieldsOfRow, index) => ({ id: index + 1, ...fieldsOfRow })));
}

/** A reference leads to a row of its table, or of its own table to one that stands before it, or nowhere. */
function linkRows(tables: readonly NeutralTable[], rows: readonly (readonly RecordData[])[]): readonly NeutralTable[] {
  return tables.map((table, index) => ({
    ...table,
    rows: (rows[index] ?? []).map((row, position) => {
      const links = (table.foreignKeys ?? []).map((key) => {
        const column = key.columns[0] ?? '';
        const target = tables.findIndex(({ name }) => name === key.table);
        const choices = target === index ? position : (rows[target] ?? []).length;
        const drawn = row[column];
        return [column, typeof drawn === 'number' && choices > 0 ? (drawn % choices) + 1 : null];
      });
      return { ...row, ...Object.fromEntries(links) };
    }),
  }));
}
