import type { Caller } from '../../customizer/caller.ts';
import type { DeletedChoice, ReadableStore, RecordStore } from '../../data-sources/interface/data-source.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import type { WriteNotes } from './write-notes.ts';

/** Deleted records to show, of a collection where deletion marks them. Those of other collections stay hidden. */
export interface ShownDeleted {
  /** The original name of the collection. */
  readonly collection: string;
  readonly choice: DeletedChoice;
}

/** The request that something is done for. */
export interface CallContext {
  readonly caller: Caller;
  /** Aborted when the client goes away or the deadline passes. */
  readonly signal?: AbortSignal | undefined;
  /** The transactions of the request, while it writes. */
  readonly unit?: UnitOfWork | undefined;
  /** Gives another place to read from than a store, outside of transactions. Default: the store itself. */
  readonly readFrom?: ((store: RecordStore) => ReadableStore) | undefined;
  /** Deleted records that the request is about, of one collection. Default: none. */
  readonly deleted?: ShownDeleted | undefined;
  /** Takes down what a service changes for the request. Default: nobody wants to know. */
  readonly notes?: WriteNotes | undefined;
  /** The number of relations that the agent has followed to reach a condition. Default 0. */
  readonly relationDepth?: number | undefined;
}
