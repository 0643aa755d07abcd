import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { parseExactly } from '#kernel/json/read-json';
import {
  type ColumnSchema,
  isNumberedKey,
  KeptValue,
  nullDocument,
  type RecordData,
  readValueOf,
  TextUnread,
} from '#runtime/index';
import type { FlowContext } from '../flow-context.ts';
import { addRecords, placeOf, unreadable } from './add-records.ts';
import { type DataFormat, formatOfFile, storedEnd } from './data-format.ts';
import { namedCollections, type StoredCollection, withDevelopmentData } from './development-data.ts';
import type { FileOfRecords } from './insertion-order.ts';
import { parentsFirst } from './parent-order.ts';
import { bySource } from './seed-data.ts';

export interface ImportInput {
  readonly folder: string;
  /** From the working folder on; each has the name of its collection. */
  readonly files: readonly string[];
  /** By default the ends of the names tell it. */
  readonly format?: DataFormat | undefined;
}

export interface ImportedData {
  readonly collections: readonly { readonly name: string; readonly created: number }[];
}

/**
 * Add the records of files to the collections that they are named after; of each database all of them or none. Parents come before
 * the records that lead to them, whatever the order of the files.
 */
export function importData(context: FlowContext, { folder, files, format }: ImportInput): Promise<ImportedData> {
  return withDevelopmentData(context, folder, async (data) => {
    for (const file of files) await refuseFolder(context, file);
    const fileOf = filesByCollection(files.map((file) => path.resolve(context.workingFolder, file)));
    const wanted = parentsFirst(writable(context, namedCollections(data, [...fileOf.keys()])));
    const created: { name: string; created: number }[] = [];
    for (const [source, ofSource] of bySource(wanted)) {
      const added: FileOfRecords[] = [];
      const left: string[] = [];
      for (const collection of ofSource) {
        const { name } = collection.schema;
        const file = fileOf.get(name) ?? '';
        const form = format ?? formatOfFile(file);
        const rows = await readRows(context, file, form);
        const records = rows.map((row, index) => recordOf(row, form, collection, placeOf(file, index)));
        added.push({ collection, file, records });
        left.push(...shownOnly(rows, collection));
      }
      warnOfShownOnly(context, left);
      await addRecords(source, added);
      created.push(
        ...added.map(({ collection, records }) => ({ name: collection.schema.name, created: records.length })),
      );
    }
    return { collections: created };
  });
}

/** An export has files of views and of tables without a key as well. Throws `USAGE_INVALID` where there are only such files. */
function writable({ reporter }: FlowContext, named: readonly StoredCollection[]): readonly StoredCollection[] {
  const { left = [], taken = [] } = Object.groupBy(named, ({ schema }) => (schema.isReadOnly ? 'left' : 'taken'));
  if (left.length === 0) return taken;
  const names = left.map(({ schema }) => schema.name).join(', ');
  const message = `Views and tables without a key take no records: ${names}.`;
  if (taken.length > 0) reporter.warn(`${message} Their files are left out.`);
  else throw cloudError('USAGE_INVALID', message, 'Name files of other collections.');
  return taken;
}

/** Throws `USAGE_INVALID`, which names a file in the folder where it has one to import. */
async function refuseFolder({ fs, workingFolder }: FlowContext, named: string): Promise<void> {
  const place = path.resolve(workingFolder, named);
  if (!(await fs.isFolder(place))) return;
  const file = (await fs.list(place)).find((name) => /\.(?:csv|ndjson)$/i.test(name));
  const example = file === undefined ? '' : `, such as ${path.join(named, file)}`;
  throw cloudError(
    'USAGE_INVALID',
    `${place} is a folder, and records are imported from files.`,
    `Name the files in it that end in .csv or .ndjson${example}.`,
  );
}

/** Throws `USAGE_INVALID` for two files of one collection. */
function filesByCollection(files: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const file of files) {
    const collection = collectionOf(file);
    const other = found.get(collection);
    if (other !== undefined) throw unreadable(file, `it is for "${collection}", as ${other} is`);
    found.set(collection, file);
  }
  return found;
}

function collectionOf(file: string): string {
  const name = path.basename(file, path.extname(file));
  try {
    return decodeURIComponent(name);
  } catch {
    // Whoever named the file did not mean the sign as an escape.
    return name;
  }
}

async function readRows({ fs }: FlowContext, file: string, format: DataFormat): Promise<readonly RecordData[]> {
  const bytes = await fs.readBytes(file);
  if (bytes === null) throw unreadable(file, 'it does not exist');
  const text = textOf(file, bytes);
  return format === 'csv' ? csvRows(file, text) : ndjsonRows(file, text);
}

/** The columns whose values no write takes, and the database does not make again, although the rows have values for them. */
function shownOnly(rows: readonly RecordData[], { schema }: StoredCollection): readonly string[] {
  const isGiven = (name: string) =>
    rows.some((row) => row[name] !== undefined && row[name] !== null && row[name] !== '');
  return [...schema.fields.values()].flatMap((field) => {
    const isLost = field.kind === 'column' && field.isReadOnly && !field.isGenerated && !isNumberedKey(field);
    return isLost && isGiven(field.name) ? [`${schema.name}.${field.name}`] : [];
  });
}

function warnOfShownOnly({ reporter }: FlowContext, columns: readonly string[]): void {
  if (columns.length === 0) return;
  reporter.warn(
    `Columns that are only shown take no values: ${columns.join(', ')}. What the files have for them is lost.`,
  );
}

/** Throws `USAGE_INVALID` for what is not UTF-8: read as that, each such sign would be another one. */
function textOf(file: string, bytes: Uint8Array): string {
  const [first = 0, second = 0] = bytes;
  const isUtf16 =
    (first << 8) + second === 0xfeff || (first << 8) + second === 0xfffe || bytes.subarray(0, 2).includes(0);
  if (isUtf16) throw unreadable(file, 'it is UTF-16, and records are read in UTF-8: save it as UTF-8');
  const text = new TextDecoder().decode(bytes);
  if (isUtf8(bytes)) return text;
  const { line, column } = firstUnknownSign(text, bytes);
  throw unreadable(file, `it is not UTF-8 at line ${line}, column ${column}: save it as UTF-8`);
}

/** The decoder puts U+FFFD where the bytes are not characters, and the file may hold that one itself. */
function firstUnknownSign(text: string, bytes: Uint8Array): { readonly line: number; readonly column: number } {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  let [offset, line, column] = [hasMark ? 3 : 0, 1, 1];
  for (const sign of text) {
    const size = Buffer.byteLength(sign);
    if (sign === '\ufffd' && !Buffer.from(sign).equals(bytes.subarray(offset, offset + size))) break;
    offset += size;
    [line, column] = sign === '\n' ? [line + 1, 1] : [line, column + 1];
  }
  return { line, column };
}

function ndjsonRows(file: string, text: string): readonly RecordData[] {
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  return lines.flatMap(({ line, number }) => {
    if (line.trim() === '') return [];
    try {
      const value = parseExactly(line);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return [value as RecordData];
    } catch (cause) {
      throw unreadable(file, `line ${number} is not JSON`, cause);
    }
    throw unreadable(file, `line ${number} is not an object`);
  });
}

async function csvRows(file: string, text: string): Promise<readonly RecordData[]> {
  const { parse } = await import('csv-parse/sync');
  try {
    const columns = (names: string[]) => withoutRepeated(file, names);
    return parse(text, { columns, bom: true, skip_empty_lines: true }) as unknown as RecordData[];
  } catch (cause) {
    if (isCloudError(cause)) throw cause;
    throw unreadable(file, cause instanceof Error ? cause.message : 'it is not CSV', cause);
  }
}

/** Of two columns of one name, a row would keep the second only. */
function withoutRepeated(file: string, names: string[]): string[] {
  const index = names.findIndex((name, place) => names.indexOf(name) < place);
  const name = names[index];
  if (name === undefined) return names;
  throw unreadable(
    file,
    `its header, in line 1, names "${name}" in column ${names.indexOf(name) + 1} and in column ${index + 1}`,
  );
}

function recordOf(row: RecordData, form: DataFormat, { schema, source }: StoredCollection, place: string): RecordData {
  const entries = Object.entries(row).map(([given, value]) => {
    const isKept = given.endsWith(storedEnd);
    const name = isKept ? given.slice(0, -storedEnd.length) : given;
    const column = schema.fields.get(name);
    if (column?.kind !== 'column') throw unreadable(place, `"${schema.name}" has no column "${name}"`);
    const isLeftOut = (column.isReadOnly && !isNumberedKey(column)) || column.writtenBy === 'edit';
    if (isLeftOut || isKept) return [name, undefined] as const;
    const literal = source.keepsValues ? (row[`${name}${storedEnd}`] ?? '') : '';
    if (literal === '') return [name, readValue(form, column, value, place)] as const;
    if (typeof literal === 'string' && isLiteral.test(literal)) return [name, new KeptValue(value, literal)] as const;
    throw unreadable(place, `the value of "${name}${storedEnd}" is not a literal of SQLite`);
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** A number, a text or bytes, as SQL writes them. */
const isLiteral = /^(?:-?\d+|[-+]?\d*\.?\d+(?:e[-+]?\d+)?|'(?:[^']|'')*'|X'(?:[\da-f]{2})*')$/i;

function readValue(form: DataFormat, column: ColumnSchema, value: unknown, place: string): unknown {
  try {
    const read = readValueOf[form](column, value);
    return read === null && isNullDocument(form, column, value) ? nullDocument : read;
  } catch (error) {
    if (!(error instanceof TextUnread)) throw error;
    throw unreadable(place, `the value of "${column.name}" is not ${error.wanted}`, error);
  }
}

/** CSV has an empty text where there is no document. NDJSON has null for both, which a column that needs a value takes as a document only. */
function isNullDocument(form: DataFormat, { type, isNullable }: ColumnSchema, value: unknown): boolean {
  return type === 'Json' && (form === 'csv' ? value !== '' : !isNullable);
}
