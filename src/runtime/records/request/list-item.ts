/** One item of a list in a column of one record, in published names. */
export interface ListItem {
  readonly collection: string;
  readonly id: readonly unknown[];
  readonly column: string;
  /** From 0; as many as there are items for a new one behind the last. */
  readonly index: number;
}
