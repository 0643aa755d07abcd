import type { ReadableStore, RecordStore } from '../../data-sources/interface/data-source.ts';

/** An answer of more records than these is asked for each time. */
const maxRecords = 100;

/** The answers of databases to one run of a self-test, kept for the next run. */
export interface SelfTestAnswers {
  /** Reads what the store does not have to be asked for again from memory. */
  through(store: RecordStore): ReadableStore;
  /**
   * Whether the store has answered a question before that no code has a part in, so that it need not even be planned. `question`
   * says everything that the answer depends on; one that JSON cannot tell exactly counts as new.
   */
  isAnswered(store: RecordStore, question: readonly unknown[]): boolean;
  /** The store has answered such a question. */
  noteAnswered(store: RecordStore, question: readonly unknown[]): void;
  /** A run is over: keep the answers that it used. */
  keepRecent(): void;
  forgetAll(): void;
}

/** Answers by query, both as JSON, because callers may change the records that they get. */
type Answers = Map<string, string>;

/**
 * Answers are remembered for each store, and a store belongs to one state of its schema: a changed schema, or a relation that
 * joins other keys, is another store.
 */
export function createSelfTestAnswers(): SelfTestAnswers {
  let known = new Map<RecordStore, Answers>();
  let recent = new Map<RecordStore, Answers>();

  async function answer<Item>(store: RecordStore, query: unknown[], ask: () => Promise<Item[]>): Promise<Item[]> {
    const key = exactJson(query);
    if (key === undefined) return ask();
    const found = known.get(store)?.get(key);
    const items = found === undefined ? await ask() : (JSON.parse(found) as Item[]);
    const text = found ?? (items.length <= maxRecords ? exactJson(items) : undefined);
    if (text !== undefined) answersOf(recent, store).set(key, text);
    return items;
  }

  return {
    through: (store) => ({
      list: (query, context) => answer(store, ['list', query, context.timezone], () => store.list(query, context)),
      aggregate: (query, context) =>
        answer(store, ['aggregate', query, context.timezone], () => store.aggregate(query, context)),
      count: (collection, where, context) => store.count(collection, where, context),
    }),
    isAnswered: (store, question) => {
      const key = exactJson(question);
      if (key === undefined || known.get(store)?.get(key) === undefined) return false;
      answersOf(recent, store).set(key, '');
      return true;
    },
    noteAnswered: (store, question) => {
      const key = exactJson(question);
      if (key !== undefined) answersOf(recent, store).set(key, '');
    },
    keepRecent: () => {
      known = recent;
      recent = new Map();
    },
    forgetAll: () => {
      known = new Map();
      recent = new Map();
    },
  };
}

function answersOf(stores: Map<RecordStore, Answers>, store: RecordStore): Answers {
  const answers = stores.get(store) ?? new Map<string, string>();
  stores.set(store, answers);
  return answers;
}

/** JSON that reads back as the same value; `undefined` where JSON cannot tell the value. */
function exactJson(value: unknown): string | undefined {
  return isToldByJson(value) ? JSON.stringify(value) : undefined;
}

function isToldByJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every(isToldByJson);
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  return isPlain && Object.values(value).every((each) => each === undefined || isToldByJson(each));
}
