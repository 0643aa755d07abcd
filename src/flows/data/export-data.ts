import path from 'node:path';
import {
  type CollectionSchema,
  type ColumnSchema,
  csvText,
  type DataSource,
  KeptValue,
  nullDocument,
  portableValue,
  type RecordData,
} from '#runtime/index';
import type { FlowContext } from '../flow-context.ts';
import { type DataFormat, storedEnd } from './data-format.ts';
import {
  anywhere,
  namedCollections,
  type StoredCollection,
  warnOfSampledInstants,
  withDevelopmentData,
} from './development-data.ts';

export interface ExportInput {
  readonly folder: string;
  /** Names of the collections; all of them for none. */
  readonly collections: readonly string[];
  readonly format: DataFormat;
  /** Folder for the files, from the working folder on; it is made where it is missing. */
  readonly target: string;
}

export interface ExportedData {
  readonly files: readonly { readonly path: string; readonly collection: string; readonly records: number }[];
}

const pageSize = 1_000;

/** Write the records of collections into files, one for each, in the order of their keys. A file that is there is replaced. */
export function exportData(
  context: FlowContext,
  { folder, collections, format, target }: ExportInput,
): Promise<ExportedData> {
  return withDevelopmentData(context, folder, async (data) => {
    const files: { path: string; collection: string; records: number }[] = [];
    const named = namedCollections(data, collections);
    warnOfSampledInstants(context, named);
    for (const collection of named) {
      const { name } = collection.schema;
      const file = path.resolve(context.workingFolder, target, `${encodeURIComponent(name)}.${format}`);
      files.push({ path: file, collection: name, records: await exportOne(context, collection, format, file) });
    }
    return { files };
  });
}

/**
 * Records go page by page to a file beside its place, so that a large table needs no memory of its own. It takes its place when it
 * is whole.
 */
async function exportOne(
  context: FlowContext,
  collection: StoredCollection,
  format: DataFormat,
  file: string,
  kept: readonly string[] = [],
): Promise<number> {
  const { fs, reporter } = context;
  const { schema } = collection;
  const source = withEveryDigit(collection.source);
  const columns = [...schema.fields.values()].filter((field): field is ColumnSchema => field.kind === 'column');
  const projection = columns.map(({ name }) => name);
  const sort = schema.primaryKey.map((field) => ({ field, ascending: true }));
  const { header, write } = format === 'csv' ? await csvWriter(columns, kept) : { header: '', write: ndjsonLines };
  const lost = new Set<string>();
  const lostItems = new Set<string>();
  const found = new Set(kept);
  const growing = `${file}.part`;
  try {
    await fs.writeAtomically(growing, header);
    for (let skip = 0; ; skip += pageSize) {
      const query = { collection: schema.name, projection, sort, page: { skip, limit: pageSize } };
      const records = await source.list(query, anywhere);
      if (records.length > 0) await fs.append(growing, write(records.map((record) => portable(columns, record))));
      if (format === 'ndjson') for (const name of nullDocumentsIn(columns, records)) lost.add(`${schema.name}.${name}`);
      for (const name of keptOf(columns, records)) found.add(name);
      for (const name of nullsInListsOf(columns, records)) lostItems.add(`${schema.name}.${name}`);
      if (records.length < pageSize) {
        // The header of CSV names them, and is written already.
        if (format === 'csv' && found.size > kept.length)
          return await exportOne(context, collection, format, file, [...found]);
        if (lost.size > 0) reporter.warn(lostInNdjson([...lost]));
        if (lostItems.size > 0) reporter.warn(lostInLists([...lostItems]));
        await fs.rename(growing, file);
        return skip + records.length;
      }
    }
  } finally {
    await fs.remove(growing);
  }
}

/** The columns in which the document `null` and no document are the same in NDJSON. Of a column that needs a value, null is the document. */
function nullDocumentsIn(columns: readonly ColumnSchema[], records: readonly RecordData[]): readonly string[] {
  const isLost = ({ name, isNullable }: ColumnSchema) =>
    isNullable && records.some((record) => record[name] === nullDocument);
  return columns.filter(isLost).map(({ name }) => name);
}

/** The columns with lists in which the document `null` and NULL are the same in each format. */
function nullsInListsOf(columns: readonly ColumnSchema[], records: readonly RecordData[]): readonly string[] {
  const isLost = (list: unknown) => Array.isArray(list) && list.includes(nullDocument);
  return columns.filter(({ name }) => records.some((record) => isLost(record[name]))).map(({ name }) => name);
}

function lostInLists(columns: readonly string[]): string {
  return `The document null in a list comes back as NULL: ${columns.join(', ')}.`;
}

function lostInNdjson(columns: readonly string[]): string {
  return `The document null comes back from NDJSON as no value: ${columns.join(', ')}. CSV keeps it.`;
}

/** Reads instants as the database keeps them: with milliseconds only, what is imported again would be another instant. */
function withEveryDigit(source: DataSource): Pick<DataSource, 'list'> {
  const exact = (collection: CollectionSchema): CollectionSchema => ({
    ...collection,
    fields: new Map([...collection.fields].map(([name, field]) => [name, { ...field, hasEveryDigit: true }])),
  });
  return source.extendedBy?.(source.collections.map(exact)) ?? source;
}

/** The columns with values that the database would not make again of what is shown. */
function keptOf(columns: readonly ColumnSchema[], records: readonly RecordData[]): readonly string[] {
  return columns.map(({ name }) => name).filter((name) => records.some((record) => record[name] instanceof KeptValue));
}

/** A record as JSON can hold it, with how a value is stored beside it. */
function portable(columns: readonly ColumnSchema[], record: RecordData): RecordData {
  const entries = columns.map(({ name }) => [name, record[name]] as const);
  const kept = entries.flatMap(([name, value]) =>
    value instanceof KeptValue ? [[`${name}${storedEnd}`, value.literal] as const] : [],
  );
  const shown = entries.map(
    ([name, value]) => [name, portableValue(value instanceof KeptValue ? value.shown : value)] as const,
  );
  return Object.fromEntries([...shown, ...kept]);
}

function ndjsonLines(records: readonly RecordData[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

type Write = (records: readonly RecordData[]) => string;

async function csvWriter(
  columns: readonly ColumnSchema[],
  kept: readonly string[],
): Promise<{ readonly header: string; readonly write: Write }> {
  const { stringify } = await import('csv-stringify/sync');
  return {
    header: stringify([[...columns.map(({ name }) => name), ...kept.map((name) => `${name}${storedEnd}`)]]),
    write: (records) =>
      stringify(
        records.map((record) => [
          ...columns.map((column) => csvText(column, record[column.name])),
          ...kept.map((name) => record[`${name}${storedEnd}`] ?? ''),
        ]),
      ),
  };
}
