import type { SeededRandom } from '#project/index';
import type { ColumnSchema, RecordData, RowCheck } from '#runtime/index';
import { textOfLike, textOfRegex } from './text-of-pattern.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** Numbers in checks beyond this are not lengths of texts. */
const mostLength = 2_000;

/** What values are chosen with. */
export interface Surroundings {
  readonly random: SeededRandom;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Values that a check may accept in a column: those that it names and those beside them, and what follows from the other columns
 * that it names. Never empty.
 */
export function candidateValues(
  column: ColumnSchema,
  { constants, columns }: Pick<RowCheck, 'constants' | 'columns'>,
  record: RecordData,
  { random, now }: Surroundings,
): readonly [unknown, ...unknown[]] {
  const others = columns.filter((name) => name !== column.name).map((name) => record[name] ?? null);
  const values = valuesFor(column, constants, { others, current: record[column.name], random, now });
  const [first, ...rest] = values.filter((value) => fits(column, value));
  const empty = column.isNullable ? [null] : [];
  return first === undefined ? [record[column.name] ?? null, ...empty] : [first, ...rest, ...empty];
}

interface Neighbours extends Surroundings {
  readonly others: readonly unknown[];
  readonly current: unknown;
}

function valuesFor(column: ColumnSchema, constants: RowCheck['constants'], around: Neighbours): readonly unknown[] {
  if (column.enumValues?.length) return column.enumValues;
  switch (column.type) {
    case 'Number':
      return numbersFor(column, constants, around);
    case 'Boolean':
      return [true, false];
    case 'Date':
    case 'Dateonly':
      return datesFor(column, constants, around);
    case 'String':
    case 'Enum':
      return textsFor(constants, around);
    default:
      return [];
  }
}

function numbersFor(column: ColumnSchema, constants: RowCheck['constants'], { others, random }: Neighbours) {
  const named = constants.map(Number).filter(Number.isFinite);
  const beside = others
    .filter((value) => value !== null && typeof value !== 'boolean')
    .map(Number)
    .filter(Number.isFinite);
  const sums = beside.flatMap((a, index) => beside.slice(index + 1).flatMap((b) => [a + b, a - b, b - a, a * b]));
  const edges = [...named, ...beside];
  const [low, high] = [Math.min(0, ...edges), Math.max(0, ...edges)];
  const inside = Array.from({ length: 3 }, () => low + random.fraction() * (high - low));
  const around = edges.flatMap((value) => [value, value + 1, value - 1, value / 2, value + random.integer(2, 50)]);
  return [...around, ...sums, ...inside, 0, 1].map((value) => numberFor(column, value));
}

/** A number as the column takes it: exact ones are texts with the digits that it has. */
function numberFor({ isExact, scale, nativeType }: ColumnSchema, value: number): number | string {
  if (scale) return value.toFixed(Math.min(scale, 2));
  if (isExact) return String(Math.round(value));
  return /int|serial/i.test(nativeType) ? Math.round(value) : value;
}

function datesFor({ type }: ColumnSchema, constants: RowCheck['constants'], { others, random, now }: Neighbours) {
  const named = [...constants, ...others].filter((value) => /^\d{4}-\d{2}-\d{2}/.test(String(value)));
  const edges = [...named.map((value) => Date.parse(String(value))), now].filter(Number.isFinite);
  const around = edges.flatMap((at) => [
    at,
    at + dayMs,
    at - dayMs,
    at + random.integer(2, 60) * dayMs,
    at - random.integer(2, 60) * dayMs,
  ]);
  const texts = around.map((at) => new Date(at).toISOString());
  return type === 'Dateonly' ? texts.map((text) => text.slice(0, 10)) : texts;
}

function textsFor(constants: RowCheck['constants'], { others, current, random }: Neighbours) {
  const text = typeof current === 'string' ? current : '';
  const named = constants.filter((constant) => typeof constant === 'string');
  const lengths = constants.filter(
    (constant) => typeof constant === 'number' && constant >= 0 && constant <= mostLength,
  );
  const ofLength = lengths.flatMap((length) =>
    [Number(length), Number(length) - 1, Number(length) + 1].map((n) => sized(text, n)),
  );
  const patterns = named.flatMap((pattern) => [textOfRegex(pattern, random), textOfLike(pattern, text, random)]);
  const beside = others.filter((value) => typeof value === 'string');
  return [...named, ...ofLength, ...patterns, ...beside, text.toLowerCase(), text.toUpperCase(), text.trim(), ''];
}

/** The text with this many characters. Its end tells records apart, and stays. */
function sized(text: string, length: number): string {
  return length <= 0 ? '' : text.padStart(length, 'amber birch ').slice(-length);
}

function fits({ nativeType, type }: ColumnSchema, value: unknown): boolean {
  const most = type === 'String' ? /\((\d+)\)/.exec(nativeType)?.[1] : undefined;
  return most === undefined || typeof value !== 'string' || value.length <= Number(most);
}
