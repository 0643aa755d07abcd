import { CsvError, parse } from 'csv-parse/browser/esm/sync';
import { parseExactly } from '../wire/exact-json.ts';
import { own } from '../wire/own.ts';

type TableFormat = 'csv' | 'ndjson';

/** Rows of a file, or of a text that somebody pasted. */
export interface Table {
  readonly name: string;
  readonly format: TableFormat;
  /** The sign between cells; absent in JSON. */
  readonly delimiter?: Delimiter;
  readonly columns: readonly string[];
  /** The first rows, to be looked at. */
  readonly first: readonly TableRow[];
  /** Reads from the beginning, a slice at a time. Throws `TableUnreadable`. */
  rows(): AsyncGenerator<TableRow>;
}

export interface TableRow {
  /** Where it begins in the file, counted from 1. */
  readonly line: number;
  /** In the order of the columns; `undefined` where the row has none. */
  readonly cells: readonly unknown[];
  /** Why it is not a row of this table. */
  readonly problem?: 'cells' | 'json';
}

/** Why a file is not a table. */
export class TableUnreadable extends Error {
  override readonly name = 'TableUnreadable';
  readonly reason: 'csv' | 'encoding' | 'empty' | 'record';
  readonly line: number;

  constructor(reason: TableUnreadable['reason'], line = 1) {
    super(`The table cannot be read: ${reason}, line ${line}.`);
    this.reason = reason;
    this.line = line;
  }
}

/** Of a record that is longer, a quote was not closed. */
const longestRecord = 4 * 1024 ** 2;
/** Rows whose members become the columns of a file of JSON. */
const rowsForColumns = 100;
const rowsShown = 5;
/** Signs between the cells of a row. */
export const delimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

/** Finds out what the columns are. Throws `TableUnreadable`. */
export async function openTable(file: Blob, name: string, delimiter?: Delimiter): Promise<Table> {
  if (/\.(?:ndjson|jsonl)$/i.test(name)) return openNdjson(file, name);
  const first = await firstOf(wholeLines(file, true));
  if (first === undefined) throw new TableUnreadable('empty');
  const sign = delimiter ?? guessDelimiter(first);
  const header = await firstOf(csvRows(file, sign));
  if (!header) throw new TableUnreadable('empty');
  const columns = header.cells.map(String);
  async function* rows(): AsyncGenerator<TableRow> {
    let isHeader = true;
    for await (const row of csvRows(file, sign)) {
      if (!isHeader) yield row.cells.length === columns.length ? row : { ...row, problem: 'cells' };
      isHeader = false;
    }
  }
  return { name, format: 'csv', delimiter: sign, columns, rows, first: await firstRows(rows()) };
}

/** What remains of a text that somebody pasted: its header and the rows of these lines, each as it was typed. */
export async function remainderOf(text: string, table: Table, isLeft: (line: number) => boolean): Promise<Remainder> {
  const lines = text.replace(/\n$/, '').split('\n');
  const begins: number[] = [];
  for await (const { line } of table.rows()) begins.push(line);
  const kept = lines.slice(0, (begins[0] ?? 1) - 1);
  const newLines = new Map<number, number>();
  for (const [at, line] of begins.entries()) {
    if (!isLeft(line)) continue;
    newLines.set(line, kept.length + 1);
    kept.push(...lines.slice(line - 1, (begins[at + 1] ?? lines.length + 1) - 1));
  }
  return { text: newLines.size === 0 ? '' : kept.join('\n'), newLines };
}

export interface Remainder {
  /** Empty where no row is left. */
  readonly text: string;
  /** Where rows begin now, by where they began. */
  readonly newLines: ReadonlyMap<number, number>;
}

async function firstRows(rows: AsyncGenerator<TableRow>): Promise<readonly TableRow[]> {
  const found: TableRow[] = [];
  for await (const row of rows) {
    found.push(row);
    if (found.length === rowsShown) break;
  }
  return found;
}

/** The sign that the first line has most often outside of quotes. */
export function guessDelimiter(text: string): Delimiter {
  const [line = ''] = text.replace(/"[^"]*"/g, '').split('\n');
  const counts = delimiters.map((sign) => [line.split(sign).length, sign] as const);
  const [best] = counts.toSorted(([one], [other]) => other - one);
  return best?.[1] ?? ',';
}

async function* csvRows(file: Blob, delimiter: Delimiter): AsyncGenerator<TableRow> {
  let before = 0;
  for await (const text of wholeLines(file, true)) {
    for (const { record, info } of readCsv(text, delimiter, before)) {
      const breaks = record.reduce((sum, cell) => sum + (cell.match(/\n/g)?.length ?? 0), 0);
      yield { line: before + info.lines - breaks, cells: record };
    }
    before += text.match(/\n/g)?.length ?? 0;
  }
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function readCsv(text: string, delimiter: Delimiter, before: number): readonly CsvRecord[] {
  try {
    return parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n'],
    }) as unknown as readonly CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new TableUnreadable('csv', before + Number(error['lines'] ?? 1));
  }
}

async function openNdjson(file: Blob, name: string): Promise<Table> {
  const columns = new Set<string>();
  let seen = 0;
  for await (const { record } of jsonRows(file)) {
    for (const member of Object.keys(record ?? {})) columns.add(member);
    seen += 1;
    if (seen === rowsForColumns) break;
  }
  if (columns.size === 0) throw new TableUnreadable('empty');
  const names = [...columns];
  async function* rows(): AsyncGenerator<TableRow> {
    for await (const { line, record, text } of jsonRows(file)) {
      if (!record) yield { line, cells: [text], problem: 'json' };
      else {
        const cells = names.map((member) => own(record, member));
        const isKnown = Object.keys(record).every((member) => columns.has(member));
        yield isKnown ? { line, cells } : { line, cells, problem: 'cells' };
      }
    }
  }
  return { name, format: 'ndjson', columns: names, rows, first: await firstRows(rows()) };
}

interface JsonRow {
  readonly line: number;
  readonly text: string;
  /** Absent where the line is not an object. */
  readonly record: Readonly<Record<string, unknown>> | undefined;
}

async function* jsonRows(file: Blob): AsyncGenerator<JsonRow> {
  let line = 0;
  for await (const lines of wholeLines(file, false)) {
    for (const text of lines.replace(/\n$/, '').split('\n')) {
      line += 1;
      if (text.trim() !== '') yield { line, text, record: readObject(text) };
    }
  }
}

function readObject(text: string): JsonRow['record'] {
  try {
    const value = parseExactly(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The text in pieces that end where a record ends. A file is never in memory as a whole. */
async function* wholeLines(file: Blob, hasQuotes: boolean): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = file.stream().getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoded(decoder, value);
      if (done) break;
      const end = lastBreak(rest, hasQuotes) + 1;
      if (end > 0) {
        yield rest.slice(0, end);
        rest = rest.slice(end);
      }
      if (rest.length > longestRecord) throw new TableUnreadable('record');
    }
  } finally {
    await reader.cancel();
  }
  if (rest.trim() !== '') yield rest;
}

/** A sign may be cut in two by the end of a slice. Without bytes the text ends. */
function decoded(decoder: TextDecoder, bytes: Uint8Array | undefined): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch (error) {
    if (error instanceof TypeError) throw new TableUnreadable('encoding');
    throw error;
  }
}

/** The last line break outside of quotes; -1 for none. A quote inside quotes is doubled, so that the count stays even. */
function lastBreak(text: string, hasQuotes: boolean): number {
  if (!hasQuotes) return text.lastIndexOf('\n');
  let last = -1;
  let isOpen = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === 34) isOpen = !isOpen;
    else if (sign === 10 && !isOpen) last = at;
  }
  return last;
}

async function firstOf<Item>(items: AsyncGenerator<Item>): Promise<Item | undefined> {
  for await (const item of items) return item;
  return undefined;
}
