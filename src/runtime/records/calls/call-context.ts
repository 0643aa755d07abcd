import type { Caller } from '../../customizer/caller.ts';
import type { DeletedChoice, ReadableStore, RecordStore } from '../../data-sources/interface/data-source.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Deleted records to show, of a collection where deletion marks them. Those of other collections stay hidden. */
export interface ShownDeleted {
  /** By its original name. */
  readonly collection: string;
  readonly choice: DeletedChoice;
}

/** On whose behalf something is done. */
export interface CallContext {
  readonly caller: Caller;
  /** Aborted when the client goes away or the deadline passes. */
  readonly signal?: AbortSignal | undefined;
  /** The transactions of the request, while it writes. */
  readonly unit?: UnitOfWork | undefined;
  /** Where to read instead of a store, outside of transactions. Default: the store itself. */
  readonly readFrom?: ((store: RecordStore) => ReadableStore) | undefined;
  /** Deleted records that the request is about, of one collection. Default: none. */
  readonly deleted?: ShownDeleted | undefined;
  /** How many relations that the agent follows a condition is asked behind. Default 0. */
  readonly relationDepth?: number | undefined;
}
