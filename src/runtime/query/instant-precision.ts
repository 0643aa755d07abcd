import type { ColumnSchema } from './collection-schema.ts';

/**
 * Whether `Equal`, `In` and their opposites compare the column by the millisecond, as records show its values. Keys show
 * every digit and are compared exactly.
 */
export function showsMilliseconds({ type, isPrimaryKey }: Pick<ColumnSchema, 'type' | 'isPrimaryKey'>): boolean {
  return type === 'Date' && !isPrimaryKey;
}

/** Whether an instant that is compared with stands for its whole millisecond: at most three digits behind the second. */
export function meansMillisecond(instant: unknown): boolean {
  return instant instanceof Date || !/[.,]\d{4}/.test(String(instant));
}
