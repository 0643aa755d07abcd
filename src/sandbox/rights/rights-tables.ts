export interface RightsTables {
  readonly rights: {
    readonly environmentId: number;
    /** Counts from 1 in each environment; the greatest counts. */
    readonly revision: number;
    /** Canonical JSON. */
    readonly document: string;
    readonly authorId: number;
    readonly createdAt: number;
  };
}
