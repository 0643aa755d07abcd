import type { ShownWrite } from '#contracts/history';

type Values = Readonly<Record<string, unknown>>;

/** What a record was right after a write, as far as its history tells. */
export interface PastState {
  readonly values: Values;
  /** Fields whose earlier value nobody knows. */
  readonly unknown: ReadonlySet<string>;
  /** Whether a later write left no values at all, so that any field may have been another. */
  readonly isUncertain: boolean;
}

/**
 * Go back from what a record is now. A deleted record begins with nothing.
 *
 * @param newer The writes behind the wanted one, the newest first.
 */
export function stateBefore(now: Values, newer: readonly ShownWrite[]): PastState {
  let values: Values = now;
  const unknown = new Set<string>();
  let isUncertain = false;
  for (const { before, unkept, problem, fields } of newer) {
    if (problem !== undefined) {
      isUncertain ||= fields.length === 0;
      for (const name of fields) unknown.add(name);
    }
    for (const name of Object.keys(unkept)) unknown.add(name);
    for (const name of Object.keys(before ?? {})) unknown.delete(name);
    values = { ...values, ...before };
  }
  return { values, unknown, isUncertain };
}
