import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ColumnSchema, RecordData, RowCheck } from '#runtime/index';
import { candidateValues } from './candidate-values.ts';
import { anywhere, type StoredCollection } from './development-data.ts';
import { type Fitting, fittingRecord, isSame } from './fitting-record.ts';
import { generatedValue } from './generated-value.ts';
import { readParentKeys, readUniqueValues, type Seeding } from './stored-values.ts';

/** Tries for each record, because values may be taken. */
const mostTries = 100;
const emptyShare = 0.15;

interface Making extends Seeding {
  readonly collection: StoredCollection;
  readonly columns: readonly ColumnSchema[];
  readonly checks: readonly RowCheck[];
  readonly unique: ReadonlySet<string>;
  /** Values of one guess for checks that cannot be read: the same in all records, so that a good guess fits all of them. */
  readonly guess: RecordData;
}

/** Records for a collection: as many as are wanted, or as there are values that must differ and keys that must lead somewhere. */
export async function recordsFor(collection: StoredCollection, seeding: Seeding): Promise<readonly RecordData[]> {
  const { store, rules, rows } = seeding;
  const { name, fields } = collection.schema;
  const before = await store.count(name, undefined, anywhere);
  const parents = await readParentKeys(collection, seeding);
  const { uniqueKeys = [], checks = [] } = rules.get(name) ?? {};
  const columns = columnsToFill(collection, checks).filter((column) => !parents.columns.has(column.name));
  const isFilled = (column: string) => parents.columns.has(column) || columns.some((each) => each.name === column);
  const keys = uniqueKeys.filter((key) => key.every((column) => fields.has(column) && isFilled(column)));
  const values = await readUniqueValues(store, name, keys);
  const unique = new Set(keys.filter((key) => key.length === 1).flat());
  const guess = guessFor(
    columns.filter((column) => !unique.has(column.name)),
    checks,
    seeding,
  );
  const making = { ...seeding, collection, columns, checks, unique, guess };
  const records: RecordData[] = [];
  for (let index = 0; index < rows; index++) {
    const record = freeRecord(before + index + 1, before + rows);
    if (!record) break;
    values.take(record);
    records.push(record);
  }
  return records;

  /** A record whose values are not taken. Another try has another number, which most values are made of, and leads elsewhere. */
  function freeRecord(number: number, step: number): RecordData | undefined {
    let refused: RowCheck | undefined;
    for (let attempt = 0; attempt < mostTries; attempt++) {
      const ofParents = parents.pick();
      if (!ofParents) return undefined;
      const fitting = checkedRecord(number + attempt * step, ofParents, making);
      if ('record' in fitting && values.areFree(fitting.record)) return fitting.record;
      refused = 'refused' in fitting ? fitting.refused : undefined;
      if (refused && !refused.columns.some((column) => parents.columns.has(column))) break;
    }
    if (refused) throw unfit(name, refused);
    return undefined;
  }
}

/**
 * What the database fills in by itself is left to it. Exceptions are the values of an enum, which are to vary, and computed
 * values that a check compares with others.
 */
function columnsToFill({ schema }: StoredCollection, checks: readonly RowCheck[]): readonly ColumnSchema[] {
  const compared = checks.filter(({ columns }) => columns.length > 1).flatMap(({ columns }) => columns);
  const isCompared = ({ name, defaultValue, isPrimaryKey }: ColumnSchema) =>
    defaultValue === undefined && !isPrimaryKey && compared.some((each) => isSame(each, name));
  return [...schema.fields.values()].filter(
    (field): field is ColumnSchema =>
      field.kind === 'column' &&
      !field.isReadOnly &&
      field.writtenBy !== 'edit' &&
      (!field.hasDefault || Boolean(field.enumValues?.length) || isCompared(field)),
  );
}

function checkedRecord(number: number, ofParents: RecordData, making: Making): Fitting {
  const { collection, columns, checks, random, now, guess } = making;
  const made = Object.fromEntries(columns.map((column) => [column.name, madeValue(column, number, making)]));
  const input = { checks, columns, defaults: defaultsOf(collection), random, now };
  return fittingRecord(withDeletion({ ...made, ...guess, ...ofParents }, making), input);
}

function madeValue(column: ColumnSchema, number: number, making: Making): unknown {
  const { random, now, unique, collection } = making;
  if (column.name === collection.softDelete) return null;
  const isEmpty = column.isNullable && (column.type === 'Point' || random.chance(emptyShare));
  return isEmpty ? null : generatedValue({ column, number, random, now, isUnique: unique.has(column.name) });
}

/** A deletion comes after everything else that happened to the record. */
function withDeletion(record: RecordData, { collection, columns, random, now, deletedShare }: Making): RecordData {
  const mark = columns.find(({ name }) => name === collection.softDelete);
  if (!mark || !random.chance(deletedShare)) return record;
  const times = columns
    .filter(({ type }) => type === 'Date' || type === 'Dateonly')
    .map(({ name }) => Date.parse(String(record[name])))
    .filter(Number.isFinite);
  const after = Math.min(now, Math.max(0, ...times));
  const at = new Date(after + Math.floor(random.fraction() * (now - after))).toISOString();
  return { ...record, [mark.name]: mark.type === 'Dateonly' ? at.slice(0, 10) : at };
}

/** What the database puts where a record says nothing, as far as it is a value and no expression. */
function defaultsOf({ schema }: StoredCollection): RecordData {
  const columns = [...schema.fields.values()].filter((field): field is ColumnSchema => field.kind === 'column');
  return Object.fromEntries(
    columns
      .filter(({ defaultValue }) => defaultValue !== undefined)
      .map(({ name, defaultValue }) => [name, defaultValue]),
  );
}

/** Values that a check names which cannot be read: another choice of them after each refusal. */
function guessFor(
  columns: readonly ColumnSchema[],
  checks: readonly RowCheck[],
  { refusals, random, now }: Seeding,
): RecordData {
  if (refusals === 0) return {};
  const guessed = checks
    .filter(({ holds }) => !holds)
    .flatMap((check) =>
      columns
        .filter(({ name }) => check.columns.some((each) => isSame(each, name)))
        .map((column) => [column.name, random.pick(candidateValues(column, check, {}, { random, now }))] as const),
    );
  return Object.fromEntries(guessed.filter(([name, value]) => value !== null || isNullable(columns, name)));
}

function isNullable(columns: readonly ColumnSchema[], name: string): boolean {
  return columns.some((column) => column.name === name && column.isNullable);
}

function unfit(collection: string, refused: RowCheck): CloudError {
  const columns = refused.columns.map((name) => `"${name}"`).join(', ');
  return cloudError(
    'USAGE_INVALID',
    `No records are made for "${collection}": no values of ${columns} were found that its checks accept. Nothing is kept.`,
    'Leave the collection out: name the others with --collection.',
  );
}
