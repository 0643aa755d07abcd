import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';
import type { MongoDatabase, MongoDocument, MongoStatements } from '#kernel/ports/mongo-database';
import { refusedWriteOf } from '#node/database/database-errors';
import { createMingoDatabase, type MingoCollection } from './mingo-database.ts';
import { parseMessage, replyTo } from './mongo-wire.ts';

interface PeerDatabase {
  readonly collections: Record<string, MingoCollection>;
  readonly database: MongoDatabase;
}

/** A transaction that a client has begun and not yet ended. */
interface OpenTransaction {
  readonly statements: MongoStatements;
  end(isCommitted: boolean): Promise<void>;
}

/**
 * A server on the loopback that speaks the protocol of MongoDB and carries out what it is asked on documents in memory, with mingo: for
 * what the driver does on its way to a server.
 */
export async function startMongoPeer({ hasTransactions = true, port: wanted = 0 } = {}) {
  const databases = new Map<string, PeerDatabase>();
  const transactions = new Map<string, OpenTransaction>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that goes away ends its connection, and nothing else.
    socket.on('error', () => socket.destroy());
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
        const length = received.readInt32LE(0);
        const message = parseMessage(received.subarray(0, length));
        received = received.subarray(length);
        void answer(message.command).then((reply) => socket.write(replyTo(message, reply)));
      }
    });
  });
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const databaseNamed = (name: string): PeerDatabase => {
    const collections: Record<string, MingoCollection> = {};
    const known = databases.get(name) ?? {
      collections,
      database: createMingoDatabase(collections, { hasTransactions }),
    };
    databases.set(name, known);
    return known;
  };

  async function answer(command: MongoDocument): Promise<MongoDocument> {
    const [name = ''] = Object.keys(command);
    try {
      return { ok: 1, ...(await carryOut(name, command)) };
    } catch (error) {
      const refused = refusal(error);
      const isWrite = ['insert', 'update', 'delete'].includes(name);
      if (isWrite && refused.code !== failed) return { ok: 1, n: 0, writeErrors: [{ index: 0, ...refused }] };
      return { ok: 0, ...refused };
    }
  }

  async function carryOut(name: string, command: MongoDocument): Promise<MongoDocument> {
    const peer = databaseNamed(String(command['$db']));
    const key = BSON.EJSON.stringify([command['lsid'], command['txnNumber']]);
    if (command['startTransaction'] === true) transactions.set(key, await begin(peer.database));
    const statements = transactions.get(key)?.statements ?? peer.database;
    const collection = String(command[name]);
    switch (name) {
      case 'hello':
      case 'ismaster':
      case 'isMaster':
        return greeting(hasTransactions, `127.0.0.1:${port}`);
      case 'aggregate': {
        const firstBatch = await statements.aggregate(collection, command['pipeline'] as MongoDocument[]);
        return { cursor: { firstBatch, id: BSON.Long.ZERO, ns: `${command['$db']}.${collection}` } };
      }
      case 'insert': {
        const documents = command['documents'] as MongoDocument[];
        // An insertion makes the collection.
        peer.collections[collection] ??= { documents: [] };
        await statements.insert(collection, documents);
        return { n: documents.length };
      }
      case 'update': {
        let n = 0;
        for (const { q, u, arrayFilters = [] } of command['updates'] as Record<string, MongoDocument>[]) {
          n += await statements.update(collection, q ?? {}, u ?? {}, {
            arrayFilters: arrayFilters as unknown as MongoDocument[],
          });
        }
        return { n, nModified: n };
      }
      case 'delete': {
        let n = 0;
        for (const { q } of command['deletes'] as Record<string, MongoDocument>[])
          n += await statements.remove(collection, q ?? {});
        return { n };
      }
      case 'commitTransaction':
      case 'abortTransaction': {
        const open = transactions.get(key);
        transactions.delete(key);
        await open?.end(name === 'commitTransaction');
        return {};
      }
      default:
        return describing(name, command, peer);
    }
  }

  return {
    uri: `mongodb://127.0.0.1:${port}/shop?directConnection=true`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The commands on collections as a whole, and those that need no answer. */
async function describing(
  name: string,
  command: MongoDocument,
  { collections, database }: PeerDatabase,
): Promise<MongoDocument> {
  const collection = String(command[name]);
  const cursor = (firstBatch: readonly MongoDocument[]) => ({
    cursor: { firstBatch, id: BSON.Long.ZERO, ns: 'shop.$cmd' },
  });
  switch (name) {
    case 'create': {
      const { $jsonSchema: jsonSchema } = (command['validator'] ?? {}) as { $jsonSchema?: MongoDocument };
      const isTimeSeries = command['timeseries'] !== undefined;
      collections[collection] = { documents: [], uniqueKeys: [], jsonSchema, isTimeSeries };
      return {};
    }
    case 'createIndexes': {
      const indexes = command['indexes'] as readonly { readonly key: MongoDocument }[];
      const known = collections[collection] ?? { documents: [] };
      const uniqueKeys = [...(known.uniqueKeys ?? []), ...indexes.map(({ key }) => Object.keys(key))];
      collections[collection] = { ...known, uniqueKeys };
      return {};
    }
    case 'listCollections': {
      const described = await database.describeCollections();
      return cursor(
        described.map(({ name: each, isView, jsonSchema }) => ({
          name: each,
          type: isView ? 'view' : collections[each]?.isTimeSeries ? 'timeseries' : 'collection',
          options: jsonSchema ? { validator: { $jsonSchema: jsonSchema } } : {},
        })),
      );
    }
    case 'listIndexes': {
      const keys = collections[collection]?.uniqueKeys ?? [];
      const unique = keys.map((paths, index) => ({
        v: 2,
        name: `unique_${index}`,
        unique: true,
        key: Object.fromEntries(paths.map((path) => [path, 1])),
      }));
      return cursor([{ v: 2, name: '_id_', key: { _id: 1 } }, ...unique]);
    }
    case 'dropDatabase':
    case 'endSessions':
    case 'ping':
      return {};
    default:
      throw new Error(`The peer does not know the command ${name}.`);
  }
}

/** The transaction of the database in memory stays open until somebody says how to end it. */
function begin(database: MongoDatabase): Promise<OpenTransaction> {
  const ending = Promise.withResolvers<void>();
  return new Promise((resolve) => {
    const whole = database.transaction(async (statements) => {
      resolve({
        statements,
        end: async (isCommitted) => {
          if (isCommitted) ending.resolve();
          else ending.reject(new Error('The client undoes the transaction.'));
          await ended;
        },
      });
      await ending.promise;
    });
    // An undone transaction rejects, which is what was asked for.
    const ended = whole.catch(() => undefined);
  });
}

function greeting(hasTransactions: boolean, me: string): MongoDocument {
  return {
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    ...(hasTransactions ? { setName: 'peer', hosts: [me], me } : {}),
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    logicalSessionTimeoutMinutes: 30,
    minWireVersion: 9,
    maxWireVersion: 25,
  };
}

const failed = 8000;

/** As the server says that it refuses a write. */
function refusal(error: unknown): { readonly code: number; readonly errmsg: string } & MongoDocument {
  const refused = refusedWriteOf(error);
  if (!refused) return { code: failed, errmsg: String(error) };
  if (/has it already/.test(refused.problem)) {
    const index = refused.fields[0] === '_id' ? '_id_' : `${refused.fields.join('_1_')}_1`;
    const errmsg = `E11000 duplicate key error collection: shop.any index: ${index} dup key: { … }`;
    return { code: 11_000, errmsg, keyPattern: Object.fromEntries(refused.fields.map((path) => [path, 1])) };
  }
  const details = { schemaRulesNotSatisfied: [{ operatorName: 'required', missingProperties: refused.fields }] };
  return { code: 121, errmsg: 'Document failed validation', errInfo: { details } };
}
