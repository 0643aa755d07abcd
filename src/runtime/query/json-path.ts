import type { ColumnType } from './column-type.ts';
import { documentKindOf, type ExpressionKind } from './expression-type.ts';

/** Days that there are, from year 1 to 9999, as a pattern that every engine understands. */
export const dayPattern =
  '(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)';

/** Instants as JSON has them: in UTC, with at most milliseconds. */
export const instantPattern = `${dayPattern}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,3})?Z`;

const day = new RegExp(`^${dayPattern}$`);
const instant = new RegExp(`^${instantPattern}$`);

const checks: Readonly<Record<Exclude<ExpressionKind, 'Null'>, (value: unknown) => boolean>> = {
  Boolean: (value) => typeof value === 'boolean',
  Date: (value) => typeof value === 'string' && instant.test(value),
  Dateonly: (value) => typeof value === 'string' && day.test(value),
  Json: () => true,
  Number: (value) => typeof value === 'number',
  String: (value) => typeof value === 'string',
};

/** The value at a path of a document, if it is of the type; else `null`. */
export function valueInDocument(document: unknown, path: readonly (string | number)[], type: ColumnType): unknown {
  const value = path.reduce<unknown>(stepInto, document) ?? null;
  const kind = documentKindOf(type);
  if (value === null || !checks[kind](value)) return null;
  return kind === 'Date' ? new Date(String(value)).toISOString() : value;
}

/** Keys are those of objects and numbers are positions in lists, never the other way round. */
function stepInto(holder: unknown, step: string | number): unknown {
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder) !== (typeof step === 'number'))
    return null;
  return Object.hasOwn(holder, step) ? (holder as Record<string | number, unknown>)[step] : null;
}
