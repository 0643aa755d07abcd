import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ColumnType } from '../query/column-type.ts';

/** The rows of a sheet, without the titles. */
export const mostRecords = 1_048_575;

/** An instant has the date and the time of a time zone, as UTC. */
export type SheetCell =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'date' | 'instant'; readonly value: Date };

/** As records hold them. A workbook keeps milliseconds; what has more digits stays a text. */
const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;
const dateForm = /^\d{4}-\d\d-\d\d$/;
/** A spreadsheet keeps fifteen digits. */
const exactDigits = 15;
/** The calendar of spreadsheets has a 29 February 1900, so only days behind it are exact. */
const firstDay = Date.UTC(1900, 2, 1);
const lastDay = Date.UTC(9999, 11, 31);

/** A value as it is. */
export function cellOfText(value: unknown): SheetCell {
  if (value === null || value === undefined) return { kind: 'empty' };
  return { kind: 'text', value: typeof value === 'object' ? JSON.stringify(value) : String(value) };
}

/**
 * A value as a spreadsheet calculates with it, as far as that is exact.
 *
 * @param type of its column; where it is not known, a text that is a date counts as one.
 */
export function cellOf(value: unknown, type: ColumnType | undefined, localTime: (instant: Date) => Date): SheetCell {
  const text = cellOfText(value);
  if (text.kind !== 'text' || typeof value === 'object') return text;
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (type === 'Number' || typeof value === 'number') return numberCell(text.value, typeof value === 'number') ?? text;
  const mayBe = (wanted: ColumnType) => type === undefined || type === wanted;
  if (mayBe('Date') && instantForm.test(text.value)) {
    return dateCell('instant', localTime(new Date(text.value))) ?? text;
  }
  if (mayBe('Dateonly') && dateForm.test(text.value)) {
    return dateCell('date', new Date(`${text.value}T00:00:00Z`)) ?? text;
  }
  return text;
}

/** A fraction that is a JavaScript number has no digits to lose. */
function numberCell(text: string, isFloat: boolean): SheetCell | undefined {
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  const digits = text.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '');
  const isExact = digits.length <= exactDigits || (isFloat && !Number.isInteger(value));
  return isExact ? { kind: 'number', value } : undefined;
}

function dateCell(kind: 'date' | 'instant', value: Date): SheetCell | undefined {
  const time = value.getTime();
  return time >= firstDay && time <= lastDay ? { kind, value } : undefined;
}

/** Moves an instant by the offset of a time zone at that instant. */
export function localTimeIn(timeZone: string): (instant: Date) => Date {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (instant) => {
    const local = new Date(`${format.format(instant).replace(' ', 'T')}Z`);
    return new Date(local.getTime() + instant.getUTCMilliseconds());
  };
}

/** Throws `EXPORT_TOO_LARGE` where a sheet has no room for as many records. */
export function requireRoom(records: number): void {
  if (records > mostRecords) throw tooLarge(`more than ${mostRecords} records`);
}

export function tooLarge(what: string): CloudError {
  return cloudError(
    'EXPORT_TOO_LARGE',
    `A workbook cannot hold ${what}.`,
    'Filter more, leave the column out, or export CSV.',
  );
}
