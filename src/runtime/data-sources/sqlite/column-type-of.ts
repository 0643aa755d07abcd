import type { ColumnType } from '../../query/column-type.ts';

export interface NeutralType {
  readonly type: ColumnType;
  readonly isExact: boolean;
}

const inexact = (type: ColumnType): NeutralType => ({ type, isExact: false });
const exactNumber: NeutralType = { type: 'Number', isExact: true };

const byName: Readonly<Record<string, NeutralType>> = {
  BIGINT: exactNumber,
  'UNSIGNED BIG INT': exactNumber,
  INT8: exactNumber,
  DECIMAL: exactNumber,
  NUMERIC: exactNumber,
  MONEY: exactNumber,
  BOOL: inexact('Boolean'),
  BOOLEAN: inexact('Boolean'),
  DATE: inexact('Dateonly'),
  DATETIME: inexact('Date'),
  TIMESTAMP: inexact('Date'),
  'TIMESTAMP WITH TIME ZONE': inexact('Date'),
  TIMESTAMPTZ: inexact('Date'),
  TIME: inexact('Time'),
  JSON: inexact('Json'),
  JSONB: inexact('Json'),
  UUID: inexact('Uuid'),
  UNIQUEIDENTIFIER: inexact('Uuid'),
};

/** The neutral type of a declared SQLite type: by its name, else by SQLite's own affinity rules. */
export function columnTypeOf(declared: string): NeutralType {
  const name = declared
    .toUpperCase()
    .replace(/\s*\(.*\)/s, '')
    .trim();
  const known = byName[name];
  if (known) return known;
  if (name.includes('INT')) return inexact('Number');
  if (/CHAR|CLOB|TEXT|STRING|ENUM/.test(name) || name === '') return inexact('String');
  if (/BLOB|BINARY|BYTEA/.test(name)) return inexact('Binary');
  if (/REAL|FLOA|DOUB/.test(name)) return inexact('Number');
  return inexact('String');
}

/** Digits after the point of `DECIMAL(12,2)`; `undefined` when the type does not say. */
export function scaleOf(declared: string): number | undefined {
  const scale = /\(\s*\d+\s*,\s*(\d+)\s*\)/.exec(declared)?.[1];
  if (scale !== undefined) return Number(scale);
  return /^\s*(?:decimal|numeric)\s*\(\s*\d+\s*\)/i.test(declared) ? 0 : undefined;
}

/** No declared type: an exact number that is worked out in a query, as a text of its digits. */
export const exactTextType = 'exact text';
