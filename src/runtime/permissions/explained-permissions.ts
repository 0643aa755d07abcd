import type { CollectionRight } from './authoriser.ts';

/** Whether something is allowed, and why, in a few words. */
export interface Verdict {
  readonly isAllowed: boolean;
  readonly because: string;
}

export interface ExplainedRight extends Verdict {
  readonly right: CollectionRight;
}

export interface ExplainedAction {
  readonly action: string;
  readonly trigger: Verdict;
  /** In words; all of the selected records must fulfil them. */
  readonly triggerConditions: readonly string[];
  /** Whether an approval is asked for; `conditional`: when a record fulfils one of the conditions. */
  readonly needsApproval: 'never' | 'always' | 'conditional';
  readonly approvalRequiredConditions: readonly string[];
  readonly approve: Verdict;
  readonly approveConditions: readonly string[];
  readonly approveOwn: Verdict;
}

/** Where a path ends, and whether a query may use it. */
export interface ExplainedPath extends Verdict {
  readonly path: string;
  /** The collection where it ends, whose right to read decides. */
  readonly collection: string;
  /**
   * What it serves for: through a relation to many for filters alone; shown it is only where every collection on the way may be
   * read, since the keys of their records come along.
   */
  readonly uses: readonly ('filter' | 'sort' | 'show')[];
}

/** What somebody may do with a collection. */
export interface ExplainedPermissions {
  readonly user: {
    readonly id: number;
    readonly email: string;
    readonly fullName: string;
    readonly roleId: number;
    readonly permissionLevel: string;
  };
  readonly collection: string;
  readonly rights: readonly ExplainedRight[];
  /** The records it is restricted to, in words, filled in for the user; `null` for all. Denied where it closes the collection. */
  readonly scope: (Verdict & { readonly condition: string | null }) | { readonly unknownBecause: string };
  /** Queries of segments that may be run; `null` for any. */
  readonly segmentQueries: readonly string[] | null;
  readonly actions: readonly ExplainedAction[];
  readonly path?: ExplainedPath;
}
