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
  /** Conditions in words. All selected records must fulfil them. */
  readonly triggerConditions: readonly string[];
  /** Whether a run needs an approval; `conditional`: when a record fulfils one of the conditions. */
  readonly needsApproval: 'never' | 'always' | 'conditional';
  readonly approvalRequiredConditions: readonly string[];
  readonly approve: Verdict;
  readonly approveConditions: readonly string[];
  readonly approveOwn: Verdict;
}

/** The end of a path, and whether a query may use it. */
export interface ExplainedPath extends Verdict {
  readonly path: string;
  /** The collection where the path ends; the right to read it decides. */
  readonly collection: string;
  /**
   * The ways in which a query may use the path. A path through a relation to many serves filters only. An answer shows the
   * path only when the user may read every collection on the way, because it holds the keys of their records.
   */
  readonly uses: readonly ('filter' | 'sort' | 'show')[];
}

/** The rights of a user on a collection. */
export interface ExplainedPermissions {
  readonly user: {
    readonly id: number;
    readonly email: string;
    readonly fullName: string;
    readonly roleId: number;
    /** Name of the role; `null` where nobody has told it. */
    readonly role: string | null;
    readonly permissionLevel: string;
  };
  readonly collection: string;
  readonly rights: readonly ExplainedRight[];
  /** The condition on the records, in words, filled in for the user; `null` for all records. Denied when the scope closes the collection. */
  readonly scope: (Verdict & { readonly condition: string | null }) | { readonly unknownBecause: string };
  /** The segment queries that the user may run; `null` for any. */
  readonly segmentQueries: readonly string[] | null;
  readonly actions: readonly ExplainedAction[];
  readonly path?: ExplainedPath;
}
