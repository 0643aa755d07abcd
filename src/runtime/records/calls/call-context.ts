import type { KeptValues, UnkeptActReason } from '#contracts/history';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import type { Caller } from '../../customizer/caller.ts';
import type {
  DeletedChoice,
  QueryContext,
  ReadableStore,
  TransactionalStore,
} from '../../data-sources/interface/data-source.ts';
import type { ReadSession } from '../../data-sources/interface/read-session.ts';
import { inUnitOfWork, type UnitOfWork } from './unit-of-work.ts';

/** Deleted records to show, of a collection where deletion marks them. Those of other collections stay hidden. */
interface ShownDeleted {
  /** The original name of the collection. */
  readonly collection: string;
  readonly choice: DeletedChoice;
}

/** The request that something is done for. */
export interface CallContext {
  readonly caller: Caller;
  /** Aborted when the client goes away or the deadline passes. */
  readonly signal?: AbortSignal | undefined;
  /** When the deadline passes, as `performance.now()` tells it. Default: nobody waits for an end. */
  readonly endsAt?: number | undefined;
  /** The transactions of the request, while it writes. */
  readonly unit?: UnitOfWork | undefined;
  /** What the request has to see, where it may be read from replicas. Default: only the primary will do. */
  readonly reads?: ReadSession | undefined;
  /** Gives another place to read from than a store, outside of transactions. Default: the store itself. */
  readonly readFrom?: ((store: TransactionalStore) => ReadableStore) | undefined;
  /** Deleted records that the request is about, of one collection. Default: none. */
  readonly deleted?: ShownDeleted | undefined;
  /** Takes down what a service changes for the request. Default: nobody wants to know. */
  readonly notes?: WriteNotes | undefined;
  /** Counts the records that are read from databases for the request. Default: nobody wants to know. */
  readonly tally?: ReadTally | undefined;
  /** Told where a search of the project's own looks: the columns of the collection, by original name. Default: nobody wants to know. */
  readonly noteSearched?: ((columns: ReadonlySet<string>) => void) | undefined;
  /** Told of what code of the project reads for the request. Default: nobody wants to know. */
  readonly noteCodeRead?: NoteCodeRead | undefined;
  /** The number of relations that the agent has followed to reach a condition. Default 0. */
  readonly relationDepth?: number | undefined;
}

/** The context of a query on `collection` for a call; without a collection, of something that concerns none. */
export function queryContext(
  { caller, signal, deleted, unit, reads }: CallContext,
  collection?: { readonly name: string },
): QueryContext {
  const shown = deleted && deleted.collection === collection?.name ? deleted.choice : undefined;
  // What is read for a write has to be what it meets.
  return { timezone: caller.timezone, signal, deleted: shown, reads: unit ? reads?.atPrimary : reads };
}

/** The same call for other collections and for related records: these hide deleted records. */
export function callOfOthers(call: CallContext): CallContext {
  return call.deleted ? { ...call, deleted: undefined } : call;
}

/** How many records were read for a call. */
interface ReadTally {
  read: number;
}

/** Count the records that are read from a database for a call. */
export function countedReading<Data>(reading: Promise<Data[]>, { tally }: CallContext): Promise<Data[]> {
  if (!tally) return reading;
  return reading.then((records) => {
    tally.read += records.length;
    return records;
  });
}

/** Takes values that code has read at a path, in original names. */
export type NoteCodeRead = (collection: string, path: string, values: readonly unknown[]) => void;

/** Takes down what a request changes, for the report of it. A service tells what it was asked for; what handlers write is not in it. */
export interface WriteNotes {
  /** All records that the write made or changed, as packed ids. Absent where nobody needs them: the request names its records. */
  readonly records?: ((ids: readonly string[]) => void) | undefined;
  /** Names of the fields that the write set, or changed. */
  fields(names: readonly string[]): void;
  /** Where code says that values are kept. */
  readonly values: ValueNotes;
}

/** Takes down the values of records before and after a write, in original names. */
export interface ValueNotes {
  kept(record: KeptValues & { readonly recordId: string }): void;
  /** The whole write is without values. */
  notKept(reason: UnkeptActReason): void;
}

/** Run `work` in the transactions of the call; in new ones, which end with it, when the call has none. */
export function inUnitOfCall<Result>(
  call: CallContext,
  work: (inside: CallContext) => Promise<Result>,
): Promise<Result> {
  if (call.unit) return work(call);
  return inUnitOfWork(queryContext(call), (unit) => work({ ...call, unit }));
}

/**
 * Input of a service, or how to read it. What is wrong with a request tells what a collection looks like, so a service reads
 * its input once it knows that the caller has the right to the collection.
 */
export type Unread<Input> = Input | (() => Input);

/** The same where reading may have to wait for the database. */
export type UnreadLater<Input> = Input | (() => MaybePromise<Input>);

/** Read input, now that the right is known. */
export function readInput<Input>(input: Unread<Input>): Input {
  return typeof input === 'function' ? (input as () => Input)() : input;
}
