import { AsyncLocalStorage } from 'node:async_hooks';
import type { WriteOutcome } from '../../customizer/write-definition.ts';
import type {
  QueryContext,
  ReadableStore,
  RecordStore,
  TransactionalStore,
} from '../../data-sources/interface/data-source.ts';
import { customizationFailed } from '../../user-code/call-handler.ts';

/** The transactions of one request: one for each store, begun at its first write, or at the first read of `inTransaction`. */
export interface UnitOfWork {
  /** The store inside its transaction, once that has begun. */
  openedStore(store: TransactionalStore): RecordStore | undefined;
  /** The store inside its transaction, which begins now if it has not. */
  writableStore(store: TransactionalStore): Promise<RecordStore>;
  /** The store as code reads it that may write after it: the first read begins the transaction. */
  readableStore(store: TransactionalStore): ReadableStore;
  /** Run `check` when everything is written, in its transactions; when it rejects nothing is kept. */
  beforeCommit(check: () => Promise<void>): void;
  /** Run `work` when everything is committed, and not at all when it is not. */
  whenCommitted(work: () => Promise<void>): void;
  /** Run `work`, which never rejects, when everything is committed or rolled back. */
  whenOver(work: (outcome: WriteOutcome) => Promise<void>): void;
}

interface OpenTransaction {
  readonly store: RecordStore;
  commit(): Promise<void>;
  /** Undo it because of `error`, which comes back: with the fields of a broken rule, where the store finds them out now. */
  rollBack(error: unknown): Promise<unknown>;
}

/**
 * Run `work` with transactions that are committed when it resolves and rolled back when it rejects. Each is atomic; when
 * several data sources take part they are committed one after another, and the first failure keeps the rest from it.
 */
export async function inUnitOfWork<Result>(
  context: QueryContext,
  work: (unit: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  const opening = new Map<TransactionalStore, Promise<OpenTransaction>>();
  const opened = new Map<TransactionalStore, RecordStore>();
  const written: (() => Promise<void>)[] = [];
  const committed: (() => Promise<void>)[] = [];
  const over: ((outcome: WriteOutcome) => Promise<void>)[] = [];
  const outer = openAround.getStore();
  let isOver = false;
  const unit: UnitOfWork = {
    openedStore: (store) => opened.get(store),
    readableStore: (store) => readingFrom(store, () => (isOver ? Promise.resolve(store) : unit.writableStore(store))),
    beforeCommit: (check) => {
      written.push(check);
    },
    whenCommitted: (afterwards) => {
      committed.push(afterwards);
    },
    whenOver: (afterwards) => {
      if (isOver) throw calledTooLate();
      over.push(afterwards);
    },
    writableStore: async (store) => {
      // A transaction begun now would never end.
      if (isOver) throw writtenTooLate();
      const known = opening.get(store) ?? beginOnce(store, context, outer);
      opening.set(store, known);
      const transaction = await known;
      opened.set(store, transaction.store);
      return transaction.store;
    },
  };
  let result: Result;
  let failure: WriteOutcome = 'undone';
  try {
    result = await openAround
      .run({ opening, outer }, () => work(unit))
      .finally(() => {
        isOver = true;
      });
    for (const check of written) await check();
    for (const transaction of await Promise.all(opening.values())) {
      // What this one fails with may come after its commit, and those before it are committed.
      failure = 'uncertain';
      await transaction.commit();
    }
  } catch (error) {
    const begun = await Promise.allSettled(opening.values());
    const told = await Promise.all(
      begun.map((found) => (found.status === 'fulfilled' ? found.value.rollBack(error) : error)),
    );
    for (const afterwards of over) await afterwards(failure);
    throw told.find((each) => each !== error) ?? error;
  }
  for (const afterwards of over) await afterwards('committed');
  for (const afterwards of committed) await afterwards();
  return result;
}

/** The reads of `store`, each where `inside` says. It can what the store can. */
function readingFrom(store: TransactionalStore, inside: () => Promise<ReadableStore>): ReadableStore {
  const { listStored, listPlaces } = store;
  return {
    list: async (...asked) => (await inside()).list(...asked),
    count: async (...asked) => (await inside()).count(...asked),
    aggregate: async (...asked) => (await inside()).aggregate(...asked),
    ...(listStored && { listStored: async (...asked) => (await inside()).listStored?.(...asked) ?? [] }),
    ...(listPlaces && { listPlaces: async (...asked) => (await inside()).listPlaces?.(...asked) ?? [] }),
  };
}

function writtenTooLate() {
  return customizationFailed('Customization code wrote when its request was over; it has to await what it writes.');
}

function calledTooLate() {
  return customizationFailed('Customization code called "afterWrite" when its write was over.');
}

interface OpenAround {
  readonly opening: ReadonlyMap<TransactionalStore, unknown>;
  readonly outer: OpenAround | undefined;
}

/** The transactions that whatever runs now is inside of. */
const openAround = new AsyncLocalStorage<OpenAround>();

/** A second transaction on a store, begun inside of the first one, would wait for it for ever. */
function beginOnce(
  store: TransactionalStore,
  context: QueryContext,
  outer: OpenAround | undefined,
): Promise<OpenTransaction> {
  for (let around = outer; around; around = around.outer) {
    if (around.opening.has(store)) {
      throw customizationFailed(
        'Customization code wrote around the transaction of its request, with the context of another one.',
      );
    }
  }
  return begin(store, context);
}

/** Begin a transaction and hold it open until somebody says how to end it. */
function begin(store: TransactionalStore, context: QueryContext): Promise<OpenTransaction> {
  const end = Promise.withResolvers<void>();
  return new Promise((resolve, reject) => {
    const finished = store.transaction(async (inside) => {
      resolve({
        store: inside,
        commit: async () => {
          end.resolve();
          await finished;
        },
        rollBack: (error) => {
          end.reject(error);
          return finished.then(
            () => error,
            (told: unknown) => told,
          );
        },
      });
      await end.promise;
    }, context);
    finished.catch(reject);
  });
}
