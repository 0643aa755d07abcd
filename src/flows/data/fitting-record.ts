import type { ColumnSchema, RecordData, RowCheck } from '#runtime/index';
import { candidateValues, type Surroundings } from './candidate-values.ts';

/** Changes of one record at most, until its checks hold. */
const mostChanges = 300;

export interface FittingInput extends Surroundings {
  readonly checks: readonly RowCheck[];
  /** The columns whose values may be changed. */
  readonly columns: readonly ColumnSchema[];
  /** What the database fills in where the record says nothing. */
  readonly defaults: RecordData;
}

/** A record whose checks hold, or the check for which no values were found. */
export type Fitting = { readonly record: RecordData } | { readonly refused: RowCheck };

/**
 * Change values of a record until every check that can be read holds. Each step changes one value of a check that does not
 * hold, to one that the check suggests, unless more checks would be broken than before.
 */
export function fittingRecord(made: RecordData, input: FittingInput): Fitting {
  const { checks, columns, defaults, random } = input;
  const broken = (record: RecordData) => checks.filter((check) => isBroken(check, { ...defaults, ...record }));
  let record = made;
  let refused = broken(record);
  for (let change = 0; change < mostChanges; change++) {
    const [first, ...others] = refused;
    if (!first) return { record };
    const check = random.pick([first, ...others]);
    const [one, ...more] = columns.filter(({ name }) => check.columns.some((each) => isSame(each, name)));
    if (!one) return { refused: check };
    const column = random.pick([one, ...more]);
    const changed = { ...record, [column.name]: random.pick(candidateValues(column, check, record, input)) };
    const still = broken(changed);
    if (still.length > refused.length) continue;
    record = changed;
    refused = still;
  }
  const [check] = refused;
  return check ? { refused: check } : { record };
}

function isBroken({ holds, columns }: RowCheck, record: RecordData): boolean {
  if (!holds) return false;
  const names = Object.keys(record);
  const row = columns.map((column) => [column, record[names.find((name) => isSame(name, column)) ?? column] ?? null]);
  // A column that is not known yet, such as a number that the database counts, may have any value.
  if (columns.some((column) => !names.some((name) => isSame(name, column)))) return false;
  return holds(Object.fromEntries(row)) === false;
}

/** Names in checks may have other letters: databases compare them without case. */
export function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}
