import { valueReader } from '../../query/record-path.ts';
import type { RecordData } from '../../query/record-query.ts';

/** A column of a file. */
export interface ExportColumn {
  /** A field, or a path `relation:field`. */
  readonly field: string;
  /** Default: the name of the field. */
  readonly title?: string;
  /** How a workbook shows its numbers and dates, as a spreadsheet writes it: `#,##0.00`, `yyyy-mm-dd`. `text` for values as they are. */
  readonly format?: string;
  /** In characters. */
  readonly width?: number;
}

/** An instant has the date and the time of the caller's time zone, as UTC. */
export type ExportCell =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'date' | 'instant'; readonly value: Date };

export interface ExportSheet {
  readonly columns: readonly ExportColumn[];
  readonly rows: readonly (readonly ExportCell[])[];
}

/** As records hold them. */
const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const dateForm = /^\d{4}-\d\d-\d\d$/;
const exactDigits = 15;

interface SheetOptions {
  /** IANA time zone. */
  readonly timezone: string;
  /** Whether the values of a column are numbers; exact ones come as texts. */
  readonly isNumber: (column: ExportColumn) => boolean;
}

export function sheetOf(
  columns: readonly ExportColumn[],
  records: readonly RecordData[],
  { timezone, isNumber }: SheetOptions,
): ExportSheet {
  const localTime = localTimeIn(timezone);
  const readers = columns.map((column) => {
    const read = valueReader(column.field);
    if (column.format === 'text') return (record: RecordData) => cellOfText(read(record));
    const isNumeric = isNumber(column);
    return (record: RecordData) => cellOf(read(record), isNumeric, localTime);
  });
  return { columns, rows: records.map((record) => readers.map((read) => read(record))) };
}

function cellOfText(value: unknown): ExportCell {
  if (value === null || value === undefined) return { kind: 'empty' };
  return { kind: 'text', value: typeof value === 'object' ? JSON.stringify(value) : String(value) };
}

function cellOf(value: unknown, isNumeric: boolean, localTime: (instant: Date) => Date): ExportCell {
  const text = cellOfText(value);
  if (text.kind !== 'text' || typeof value === 'object') return text;
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (isNumeric || typeof value === 'number') {
    // A spreadsheet keeps fifteen digits.
    const isExact = text.value.replace(/\D/g, '').length <= exactDigits;
    return isExact ? { kind: 'number', value: Number(value) } : text;
  }
  if (instantForm.test(text.value)) return { kind: 'instant', value: localTime(new Date(text.value)) };
  if (dateForm.test(text.value)) return { kind: 'date', value: new Date(`${text.value}T00:00:00Z`) };
  return text;
}

/** Moves an instant by the offset of a time zone at that instant. */
function localTimeIn(timeZone: string): (instant: Date) => Date {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (instant) => new Date(`${format.format(instant).replace(' ', 'T')}Z`);
}
