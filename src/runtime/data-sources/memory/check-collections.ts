import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName, unknownOption } from '#kernel/text/nearest-name';
import type { ColumnType } from '../../query/column-type.ts';
import { isColumnType, unknownTypeProblem } from '../../query/column-type-problem.ts';
import { columnValueProblem } from '../../query/column-value.ts';
import type { MemoryCollection, MemoryColumn } from './memory-schema.ts';

type Given = Readonly<Record<string, unknown>>;

const collectionKeys = ['name', 'schema', 'records'];
const schemaKeys = ['columns', 'primaryKey', 'foreignKeys', 'uniqueKeys'];
const foreignKeyKeys = ['columns', 'foreignTable', 'foreignColumns'];
const columnKeys = [
  ...['name', 'type', 'isNullable', 'isExact', 'scale'],
  ...['isAutoIncrement', 'defaultValue', 'enumValues'],
];

/** Throws `AGENT_OPTION_INVALID` for what does not describe collections, with the place of the first mistake. */
export function checkCollections(given: unknown): asserts given is readonly MemoryCollection[] {
  if (!Array.isArray(given)) throw invalid('It takes a list of collections');
  const columnsOf = new Map<string, ReadonlySet<string>>();
  for (const collection of given) {
    const { name, schema } = checkCollection(collection);
    if (columnsOf.has(name)) throw invalid(`Two collections are called "${name}"`);
    columnsOf.set(name, new Set(schema.columns.map((column) => column.name)));
  }
  for (const { name, schema, records } of given as readonly MemoryCollection[]) {
    checkKeys(name, schema, columnsOf);
    for (const [index, record] of records.entries())
      checkRecord(`Record ${index} of "${name}"`, schema.columns, record);
  }
}

function checkCollection(given: unknown): MemoryCollection {
  const { name, schema, records } = objectOf('A collection', given, collectionKeys);
  if (typeof name !== 'string' || name === '') throw invalid('A collection has no "name"');
  if (!Array.isArray(records)) throw invalid(`"${name}" has no list of "records"`);
  const { columns, primaryKey } = objectOf(`The "schema" of "${name}"`, schema, schemaKeys);
  if (!Array.isArray(columns)) throw invalid(`The "schema" of "${name}" has no list of "columns"`);
  if (!Array.isArray(primaryKey)) throw invalid(`The "schema" of "${name}" has no "primaryKey", a list of columns`);
  for (const column of columns) checkColumn(name, column);
  return given as MemoryCollection;
}

function checkColumn(collection: string, given: unknown): void {
  const { name, type, enumValues } = objectOf(`A column of "${collection}"`, given, columnKeys);
  if (typeof name !== 'string' || name === '') throw invalid(`A column of "${collection}" has no "name"`);
  const subject = `The column "${name}" of "${collection}"`;
  if (!isColumnType(type as ColumnType)) throw invalid(`${subject} ${unknownTypeProblem(type)}`);
  if (type === 'Enum' && !Array.isArray(enumValues)) throw invalid(`${subject} is an Enum and has no "enumValues"`);
}

function checkKeys(
  name: string,
  { primaryKey, uniqueKeys = [], foreignKeys = [] }: MemoryCollection['schema'],
  columnsOf: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const key of [primaryKey, ...uniqueKeys]) checkColumnsOf(name, key, columnsOf);
  for (const key of foreignKeys) {
    const subject = `A foreign key of "${name}"`;
    const { foreignTable, foreignColumns, columns } = objectOf(subject, key, foreignKeyKeys);
    if (typeof foreignTable !== 'string' || !columnsOf.has(foreignTable)) {
      const hint = didYouMean(nearestName(String(foreignTable), columnsOf.keys()));
      throw invalid(`${subject} leads to no collection: "${foreignTable}".${hint}`);
    }
    checkColumnsOf(name, columns, columnsOf);
    checkColumnsOf(foreignTable, foreignColumns, columnsOf);
  }
}

function checkColumnsOf(name: string, key: unknown, columnsOf: ReadonlyMap<string, ReadonlySet<string>>): void {
  if (!Array.isArray(key)) throw invalid(`A key of "${name}" is not a list of columns`);
  const known = columnsOf.get(name) ?? new Set();
  const missing = key.find((column) => !known.has(column));
  if (missing === undefined) return;
  throw invalid(
    `A key names "${missing}", which "${name}" does not have.${didYouMean(nearestName(String(missing), known))}`,
  );
}

function checkRecord(subject: string, columns: readonly MemoryColumn[], given: unknown): void {
  const record = objectOf(
    subject,
    given,
    columns.map(({ name }) => name),
    'column',
  );
  for (const { name, type, isExact = false } of columns) {
    // The values of an Enum are a rule of the table, like its keys.
    const problem = columnValueProblem({ type, isExact }, record[name]);
    if (problem !== undefined) throw invalid(`${subject}: "${name}" must be ${problem}`);
  }
}

function objectOf(subject: string, given: unknown, known: readonly string[], what = 'option'): Given {
  if (typeof given !== 'object' || given === null) throw invalid(`${subject} is not an object`);
  const problem = unknownOption(given, known, what);
  if (problem !== undefined) throw invalid(`${subject} has ${problem}`);
  return given as Given;
}

function invalid(problem: string): CloudError {
  return cloudError(
    'AGENT_OPTION_INVALID',
    `createMemoryDataSource cannot use its collections: ${problem}${/[.?]$/.test(problem) ? '' : '.'}`,
    'Correct the collections.',
  );
}
