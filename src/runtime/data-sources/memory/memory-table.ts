import { DateTime } from 'luxon';
import { constraintViolated } from '#node/database/database-errors';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import { DocumentChange } from '../../query/document-change.ts';
import { decimalText, parseDecimal, roundDecimal } from '../../query/exact-decimal.ts';
import type { RecordData } from '../../query/record-query.ts';
import { comparableOf, identityOf } from '../../query/value-order.ts';
import type { MemoryColumn, MemorySchema } from './memory-schema.ts';

/** The records of one collection. `records` is replaced as a whole, so that whoever reads sees one state. */
export interface MemoryTable {
  readonly schema: CollectionSchema;
  readonly definition: MemorySchema;
  records: readonly RecordData[];
  /** The highest number given out so far, by column. */
  readonly numbers: Map<string, number>;
}

/** A record with every column: given values, else defaults, else the next number, else `null`. */
export function newRecord(table: MemoryTable, given: RecordData): RecordData {
  return Object.fromEntries(
    table.definition.columns.map((column) => {
      const value =
        given[column.name] === undefined ? defaultOf(table, column) : storedValue(column, given[column.name]);
      if (column.isAutoIncrement && typeof value === 'number') {
        table.numbers.set(column.name, Math.max(value, table.numbers.get(column.name) ?? 0));
      }
      return [column.name, value];
    }),
  );
}

/** The record with some values replaced. */
export function changedRecord(table: MemoryTable, record: RecordData, patch: RecordData): RecordData {
  const changed = table.definition.columns
    .filter(({ name }) => Object.hasOwn(patch, name) && patch[name] !== undefined)
    .map((column) => [column.name, storedValue(column, newValue(patch[column.name], record[column.name]))]);
  return { ...record, ...Object.fromEntries(changed) };
}

function newValue(given: unknown, current: unknown): unknown {
  return given instanceof DocumentChange ? given.appliedTo(current) : given;
}

/** A text that is the same for records whose `columns` are equal; `undefined` when one of them has no value. */
export function keyReader(
  schema: CollectionSchema,
  columns: readonly string[],
): (record: RecordData) => string | undefined {
  const parts = columns.map((name) => {
    const field = schema.fields.get(name);
    return { name, comparable: comparableOf(field?.kind === 'column' ? field.type : 'String') };
  });
  return (record) => {
    const identities: string[] = [];
    for (const { name, comparable } of parts) {
      const value = record[name];
      if (value === null || value === undefined) return undefined;
      identities.push(identityOf(comparable(value)));
    }
    return JSON.stringify(identities);
  };
}

function defaultOf(table: MemoryTable, column: MemoryColumn): unknown {
  if (column.isAutoIncrement) return (table.numbers.get(column.name) ?? 0) + 1;
  return storedValue(column, column.defaultValue);
}

/** A validated value in the form in which records carry it. */
function storedValue(column: MemoryColumn, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (column.type) {
    case 'Number':
      return storedNumber(column, value);
    case 'Date':
      return storedInstant(value);
    case 'Time':
      return /^\d{2}:\d{2}$/.test(String(value)) ? `${value}:00` : value;
    case 'Uuid':
      return String(value).toLowerCase();
    default:
      // Store a copy, so that the caller cannot change the stored value.
      return typeof value === 'object' ? structuredClone(value) : value;
  }
}

function storedNumber({ isExact, scale }: MemoryColumn, value: unknown): unknown {
  if (isExact !== true) return typeof value === 'number' ? value : Number(value);
  const decimal = parseDecimal(value);
  if (!decimal) return value;
  return decimalText(scale === undefined ? decimal : roundDecimal(decimal, scale));
}

function storedInstant(value: unknown): string {
  const instant = value instanceof Date ? DateTime.fromJSDate(value) : DateTime.fromISO(String(value), { zone: 'utc' });
  return instant.toUTC().toISO() ?? String(value);
}

/** The rules of one table, on the records it is about to have. Throws `DATABASE_CONSTRAINT_VIOLATED`. */
export function checkTable(table: MemoryTable, records: readonly RecordData[]): void {
  const { definition, schema } = table;
  for (const column of definition.columns) {
    const isRequired = column.isNullable === false || definition.primaryKey.includes(column.name);
    const isMissing = isRequired && records.some((record) => record[column.name] === null);
    if (isMissing) throw constraintViolated({ rule: 'a not-null rule: it must have a value', fields: [column.name] });
    const { enumValues } = column;
    const isAllowed = (value: unknown) => value === null || enumValues?.includes(String(value));
    if (enumValues && !records.every((record) => isAllowed(record[column.name]))) {
      throw constraintViolated({ rule: 'a check rule of the table', fields: [column.name] });
    }
  }
  for (const columns of [definition.primaryKey, ...(definition.uniqueKeys ?? [])]) {
    if (columns.length === 0) continue;
    const keyOf = keyReader(schema, columns);
    const seen = new Set<string>();
    for (const record of records) {
      const key = keyOf(record);
      if (key !== undefined && seen.has(key)) {
        const rule = columns === definition.primaryKey ? 'the primary key' : 'a unique rule';
        throw constraintViolated({ rule: `${rule}: another record has it already`, fields: columns });
      }
      if (key !== undefined) seen.add(key);
    }
  }
}

/** Every foreign key that begins or ends in a table, with `records` in place of those it has now. */
export function checkReferences(
  tables: ReadonlyMap<string, MemoryTable>,
  changed: MemoryTable,
  records: readonly RecordData[],
): void {
  const recordsOf = (table: MemoryTable) => (table === changed ? records : table.records);
  for (const table of tables.values()) {
    for (const { columns, foreignTable, foreignColumns } of table.definition.foreignKeys ?? []) {
      const target = tables.get(foreignTable);
      if (!target || (table !== changed && target !== changed)) continue;
      const targetKey = keyReader(target.schema, foreignColumns);
      const existing = new Set(recordsOf(target).map(targetKey));
      const ownKey = keyReader(table.schema, columns);
      const isDangling = recordsOf(table).some((record) => {
        const key = ownKey(record);
        return key !== undefined && !existing.has(key);
      });
      const fields = table === changed ? columns : foreignColumns;
      const rule = 'a foreign key: the record it refers to does not exist, or others refer to this one';
      if (isDangling) throw constraintViolated({ rule, fields });
    }
  }
}
