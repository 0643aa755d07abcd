import type { Selection } from '../grid/selection.ts';

/** The records that an action or a deletion is about. */
export interface ActionTarget {
  readonly selection: Selection;
  /** The parameters of the list that the records were chosen from. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** How many there are; `undefined` where nobody has counted them. */
  readonly size: number | undefined;
}
