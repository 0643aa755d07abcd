import type { RecordData } from '../../query/record-query.ts';

/** A record to create, and what it is linked to; published names. */
export interface NewRecord {
  /** Columns to write. */
  readonly attributes: RecordData;
  /** The columns of links, as far as the ids of the linked records tell them; `attributes` wins where both name a column. */
  readonly foreignKeys: RecordData;
  /** Records that it leads to by other columns than their keys; these win over `foreignKeys`. */
  readonly references: readonly LinkedRecord[];
  /** Records that hold the key of the new one, to be linked once it is there. */
  readonly holders: readonly LinkedRecord[];
}

/** The record at the other end of a to-one relation. */
export interface LinkedRecord {
  readonly relation: string;
  readonly collection: string;
  readonly key: RecordData;
  /** The values of the key. */
  readonly id: readonly unknown[];
}
