import { canonicalJson } from '#kernel/json/canonical-json';
import type { ConditionTree } from '../query/condition-tree.ts';

/** Which of the selected records: those that the caller can see, or all. */
export type SelectionExtent = 'visible' | 'all';

/** How many of the selected records fulfil a condition; without one, how many there are. */
export type CountSelected = (condition: ConditionTree | undefined, extent: SelectionExtent) => Promise<number>;

/** One execution of an action. */
export interface ActionRun {
  readonly collection: string;
  readonly action: string;
  /** Who asked for the approval that the caller gives; absent where the caller acts on their own. */
  readonly requesterId?: number | undefined;
  /** Rejects with `ACTION_CONDITION_INVALID` for a condition that does not fit the collection. */
  readonly count: CountSelected;
}

/** A run whose counts are taken once: roles often share a condition, and the whole selection is compared with each. */
export function countedOnce({ count, ...run }: ActionRun): ActionRun {
  const counts = new Map<string, Promise<number>>();
  const counted: CountSelected = (condition, extent) => {
    const key = canonicalJson([condition ?? null, extent]);
    const found = counts.get(key) ?? count(condition, extent);
    counts.set(key, found);
    return found;
  };
  return { ...run, count: counted };
}
