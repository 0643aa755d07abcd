import type { CountedRecords, ListedRecords } from '#flows/run/query-records';
import type { KeptRun } from '#flows/run/run-action';
import type { ChartResult } from '#flows/run/show-chart';
import { renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A page of records as a table, whose columns are the fields that were asked for, else those of the collection. */
export function renderRecords({ collection, page, fields, records }: ListedRecords, terminal: Terminal): string {
  if (records.length === 0) return `There are no such records in ${collection}.`;
  const header = fields.length > 0 ? fields : [...new Set(records.flatMap((record) => Object.keys(record)))];
  const table = renderTable(
    header,
    records.map((record) => header.map((name) => textOf(fields.length > 0 ? valueAt(record, name) : record[name]))),
    terminal,
  );
  const more = records.length === page.size ? ['', `There may be more: --page ${page.number + 1}`] : [];
  return [table, ...more].join('\n');
}

/** The value at the end of `relation:field`. */
function valueAt(record: unknown, path: string): unknown {
  return path.split(':').reduce((value, step) => (isPlainObject(value) ? value[step] : undefined), record);
}

export function renderCount({ collection, count }: CountedRecords): string {
  return count === null ? `Counting is switched off for ${collection}.` : String(count);
}

/** Rows as a table, members as lines, anything else as it is. */
export function renderChart({ value }: ChartResult, terminal: Terminal): string {
  if (Array.isArray(value) && value.length > 0 && value.every(isPlainObject)) {
    const rows = value.map(flatMembers);
    const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    return renderTable(
      header,
      rows.map((row) => header.map((name) => textOf(row[name]))),
      terminal,
    );
  }
  if (isPlainObject(value)) {
    return Object.entries(value)
      .map(([name, member]) => `${name}: ${textOf(member)}`)
      .join('\n');
  }
  return textOf(value);
}

function flatMembers(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (isPlainObject(value) ? Object.entries(value) : [[name, value]])),
  );
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function renderAction({ answer }: KeptRun, { resultStyle }: Terminal): string {
  switch (answer.type) {
    case 'success':
      return `${resultStyle.green('✔')} ${singleLine(answer.message)}${answer.html ? `\n${answer.html}` : ''}`;
    case 'redirect':
      return `The action leads to ${answer.path}`;
    case 'webhook':
      return `The action asks for a webhook: ${JSON.stringify(answer.webhook)}`;
    case 'asked':
      return `${resultStyle.green('✔')} The request ${answer.id} waits for an approval until ${answer.lapsesAt.slice(0, 10)}: ${answer.url}`;
    case 'file':
      return `${resultStyle.green('✔')} ${answer.path} written (${answer.sizeBytes} bytes).`;
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
