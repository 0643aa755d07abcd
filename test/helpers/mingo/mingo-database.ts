import { isDeepStrictEqual } from 'node:util';
import { Aggregator } from 'mingo/aggregator';
import { Query } from 'mingo/query';
import { updateMany } from 'mingo/updater';
import { Binary, Decimal128, Double, UUID } from 'mongodb';
import type {
  MongoCollectionDescription,
  MongoDatabase,
  MongoDocument,
  MongoPipeline,
  MongoRequest,
  MongoStatements,
} from '#kernel/ports/mongo-database';
import { constraintViolated, interrupted } from '#node/database/database-errors';
import { isPlainObject } from '#node/mongo/mongo-bson-values';
import { ExactNumber } from './exact-number.ts';
import { mingoContext } from './mingo-operators.ts';

type Document = Record<string, unknown>;

/** A collection of the database, and the rules that its documents are held to. */
export interface MingoCollection extends Partial<Omit<MongoCollectionDescription, 'name'>> {
  readonly documents: readonly MongoDocument[];
  readonly isTimeSeries?: boolean;
}

/**
 * A database in memory whose queries and changes mingo carries out, an engine of its own for the language of MongoDB. Indexes, rules and
 * transactions are those of this file. Unique indexes leave out documents without a value.
 */
export function createMingoDatabase(
  collections: Readonly<Record<string, MingoCollection>>,
  { hasTransactions = true } = {},
): MongoDatabase {
  let stored = new Map(
    Object.entries(collections).map(([name, { documents }]) => [
      name,
      documents.map((one) => toMingo(one) as Document),
    ]),
  );
  const options = { context: mingoContext, collectionResolver: (name: string) => stored.get(name) ?? [] };
  const documentsOf = (name: string) => stored.get(name) ?? [];
  const replace = (name: string, documents: Document[]) => {
    checkRules(collections[name], documents);
    stored = new Map(stored).set(name, documents);
  };

  const statements: MongoStatements = {
    async aggregate(name, pipeline, request) {
      refuseAborted(request);
      const copies = structuredCopy(documentsOf(name));
      return new Aggregator(toMingo(pipeline) as Document[], options).run<Document>(copies).map(fromMingo);
    },
    async insert(name, documents) {
      replace(name, [...documentsOf(name), ...documents.map((one) => toMingo(one) as Document)]);
    },
    async update(name, filter, change, request) {
      refuseAborted(request);
      const query = new Query(toMingo(filter) as Document, options);
      const before = documentsOf(name);
      const found = before.map((document) => query.test(document));
      const changed = before.map((document, index) => {
        if (!found[index]) return document;
        return isPipeline(change) ? throughStages(document, change) : withOperators(document, change, request);
      });
      replace(name, changed);
      return found.filter(Boolean).length;
    },
    async remove(name, filter, request) {
      refuseAborted(request);
      const query = new Query(toMingo(filter) as Document, options);
      const before = documentsOf(name);
      const kept = before.filter((document) => !query.test(document));
      replace(name, kept);
      return before.length - kept.length;
    },
  };
  const throughStages = (document: Document, stages: MongoPipeline): Document =>
    new Aggregator(toMingo(stages) as Document[], options).run<Document>(structuredCopy([document]))[0] ?? document;
  const withOperators = (
    document: Document,
    change: MongoDocument,
    request: Parameters<MongoStatements['update']>[3],
  ) => {
    const copy = structuredCopy([document]);
    const arrayFilters = (toMingo(request?.arrayFilters ?? []) as Document[]) ?? [];
    // mingo takes two paths through the same array for a conflict, which MongoDB does not.
    for (const [operator, values] of Object.entries(toMingo(change) as Record<string, Document>)) {
      for (const [path, value] of Object.entries(values)) {
        updateMany(copy, {}, { [operator]: { [path]: value } }, { arrayFilters, cloneMode: 'deep' }, options);
      }
    }
    return copy[0] ?? document;
  };
  const inTurn = createTurns();

  return {
    aggregate: statements.aggregate,
    insert: (...request) => inTurn(() => statements.insert(...request)),
    update: (...request) => inTurn(() => statements.update(...request)),
    remove: (...request) => inTurn(() => statements.remove(...request)),
    describeCollections: async () =>
      Object.entries(collections)
        .map(([name, { isView = false, uniqueKeys = [], jsonSchema }]) => ({ name, isView, uniqueKeys, jsonSchema }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    hasTransactions: async () => hasTransactions,
    transaction: (work) => {
      if (!hasTransactions) return work(statements);
      return inTurn(async () => {
        const before = stored;
        try {
          return await work(statements);
        } catch (error) {
          stored = before;
          throw error;
        }
      });
    },
    openConnections: () => 0,
    close: async () => undefined,
  };
}

function isPipeline(change: MongoDocument | MongoPipeline): change is MongoPipeline {
  return Array.isArray(change);
}

/** Writes and transactions wait for one another. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

function refuseAborted(request: MongoRequest | undefined): void {
  if (request?.signal?.aborted) throw interrupted();
}

/** Values in the forms that mingo can compare. */
function toMingo(value: unknown): unknown {
  if (typeof value === 'bigint' || value instanceof Decimal128) return ExactNumber.of(value);
  if (value instanceof Double) return value.value;
  if (value instanceof Binary && !(value instanceof UUID)) return new Uint8Array(value.value());
  if (Array.isArray(value)) return value.map(toMingo);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => {
    // mingo knows UTC by its offset only.
    return [name, name === 'timezone' && inner === 'UTC' ? '+0000' : toMingo(inner)];
  });
  return Object.fromEntries(entries);
}

function fromMingo(document: Document): MongoDocument {
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, bsonOf(value)]));
}

function bsonOf(value: unknown): unknown {
  if (value instanceof ExactNumber) return value.toBson();
  if (Array.isArray(value)) return value.map(bsonOf);
  return isPlainObject(value) ? fromMingo(value) : value;
}

/** Values are never changed in place; documents and lists are. */
function structuredCopy<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(structuredCopy) as Value;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, structuredCopy(inner)])) as Value;
}

/** The unique indexes, and of the schema what it requires and lists. */
function checkRules(collection: MingoCollection | undefined, documents: readonly Document[]): void {
  for (const paths of [['_id'], ...(collection?.uniqueKeys ?? [])]) {
    const seen = new Set<string>();
    for (const document of documents) {
      const values = paths.map((path) => valueAt(document, path) ?? null);
      if (values.includes(null)) continue;
      const key = JSON.stringify(values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)));
      if (seen.has(key)) {
        const rule = paths[0] === '_id' ? 'the primary key' : 'a unique rule';
        throw constraintViolated({ rule: `${rule}: another record has it already`, fields: paths });
      }
      seen.add(key);
    }
  }
  const { required = [], properties = {} } = (collection?.jsonSchema ?? {}) as {
    required?: readonly string[];
    properties?: Record<string, { enum?: readonly unknown[] }>;
  };
  for (const document of documents) {
    const missing = required.filter((path) => (valueAt(document, path) ?? null) === null);
    const unlisted = Object.entries(properties).filter(
      ([path, rule]) =>
        rule.enum && !rule.enum.some((item) => isDeepStrictEqual(item, valueAt(document, path) ?? null)),
    );
    const fields = [...missing, ...unlisted.map(([path]) => path)];
    if (fields.length > 0) throw constraintViolated({ rule: 'the schema of the collection', fields });
  }
}

function valueAt(document: Document, path: string): unknown {
  return path.split('.').reduce<unknown>((holder, step) => (holder as Document | undefined | null)?.[step], document);
}
