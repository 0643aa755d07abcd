import { createServer } from 'node:net';
import { Decimal128, MongoClient, ObjectId, UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MongoDatabase } from '#kernel/ports/mongo-database';
import { openMongo } from '#node/mongo/open-mongo';
import { freePort } from '../../../helpers/free-port.ts';
import { startMongoPeer } from '../../../helpers/mingo/mongo-peer.ts';

describe('a MongoDB database', () => {
  let peer: Awaited<ReturnType<typeof startMongoPeer>>;
  let database: MongoDatabase;

  beforeAll(async () => {
    peer = await startMongoPeer();
    database = openMongo({ uri: peer.uri, database: 'shop' });
  });
  afterAll(async () => {
    await database.close();
    await peer.stop();
  });

  it('gives values back as they were inserted', async () => {
    const document = {
      _id: new ObjectId(),
      long: 9007199254740993n,
      decimal: Decimal128.fromString('12.50'),
      uuid: new UUID('abcdefab-cdef-4abc-8def-abcdefabcdef'),
      at: new Date(1),
      nested: { list: [1, null, 'a'] },
    };
    await database.insert('values', [document]);
    expect(await database.aggregate('values', [{ $match: { _id: document._id } }])).toEqual([document]);
  });

  it('names the fields that a unique index refuses, only and among others', async () => {
    const id = new ObjectId();
    await database.insert('unique', [{ _id: id }]);
    const refused = { code: 'DATABASE_CONSTRAINT_VIOLATED', details: { field: '_id' } };
    await expect(database.insert('unique', [{ _id: id }])).rejects.toMatchObject(refused);
    await expect(database.insert('unique', [{ _id: new ObjectId() }, { _id: id }])).rejects.toMatchObject(refused);
    expect(await database.aggregate('unique', [{ $count: 'count' }])).toEqual([{ count: 1 }]);
  });

  it('reads in a transaction where it writes, whatever the URI prefers', async () => {
    const reader = openMongo({ uri: `${peer.uri}&readPreference=secondaryPreferred`, database: 'shop' });
    const read = await reader.transaction(async (statements) => {
      await statements.insert('preferred', [{ _id: 1 }]);
      return statements.aggregate('preferred', []);
    });
    expect(read).toEqual([{ _id: 1 }]);
    await reader.close();
  });

  it('takes a time series for a collection that can only be read', async () => {
    const client = new MongoClient(peer.uri);
    await client.db('shop').createCollection('series', { timeseries: { timeField: 'at' } });
    await client.close();
    const described = await database.describeCollections();
    expect(described.find(({ name }) => name === 'series')).toMatchObject({ isView: true });
  });

  it('undoes a transaction whose work fails', async () => {
    const work = database.transaction(async (statements) => {
      await statements.insert('undone', [{ _id: 1 }]);
      throw new RangeError('enough');
    });
    await expect(work).rejects.toThrow('enough');
    expect(await database.aggregate('undone', [])).toEqual([]);
  });

  it('says a failed query in its own words', async () => {
    const failing = database.aggregate('values', [{ $nonsense: { secret: 1 } }]);
    await expect(failing).rejects.toMatchObject({ code: 'DATABASE_QUERY_FAILED' });
    await expect(failing).rejects.not.toThrow(/secret/);
  });

  it('refuses a query whose client has gone', async () => {
    const signal = AbortSignal.abort();
    await expect(database.aggregate('values', [], { signal })).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  it('counts its connections, and has none when it is closed', async () => {
    const other = openMongo({ uri: peer.uri, database: 'shop' });
    expect(other.openConnections()).toBe(0);
    await other.aggregate('values', []);
    expect(other.openConnections()).toBeGreaterThan(0);
    await other.close();
    expect(other.openConnections()).toBe(0);
    await expect(other.aggregate('values', [])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  });

  it('says that nobody knows whether a transaction was saved, when the server goes away during the commit', async () => {
    const leaving = await startMongoPeer();
    const lost = openMongo({ uri: leaving.uri, database: 'shop', connectTimeoutMs: 300 });
    const work = lost.transaction(async (statements) => {
      await statements.insert('any', [{ _id: 1 }]);
      await leaving.stop();
    });
    await expect(work).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
      message: expect.stringContaining('whether the change was saved is not known'),
    });
    await lost.close();
  });

  it('has no transactions on a standalone server: statements stay as they are', async () => {
    const standalone = await startMongoPeer({ hasTransactions: false });
    const single = openMongo({ uri: standalone.uri, database: 'shop' });
    expect(await single.hasTransactions()).toBe(false);
    const failing = single.transaction(async (statements) => {
      await statements.insert('kept', [{ _id: 1 }]);
      throw new RangeError('enough');
    });
    await expect(failing).rejects.toThrow('enough');
    expect(await single.aggregate('kept', [])).toEqual([{ _id: 1 }]);
    await single.close();
    await standalone.stop();
  });
});

describe('a MongoDB server that cannot be reached', () => {
  const open = (authority: string, query = '', connectTimeoutMs = 300) =>
    openMongo({ uri: `mongodb://app:secret@${authority}/shop${query}`, database: 'shop', connectTimeoutMs });

  it('is reported without the password, as soon as every server of the list has refused', async () => {
    // Longer than a test may take.
    const minutes = 600_000;
    const ports = [await freePort(), await freePort()];
    const refused = {
      code: 'DATABASE_UNREACHABLE',
      message: 'The MongoDB server cannot be reached (ECONNREFUSED).',
    };
    for (const query of ['', '?replicaSet=rs0']) {
      const database = open(ports.map((port) => `127.0.0.1:${port}`).join(), query, minutes);
      await expect(database.aggregate('any', [])).rejects.toMatchObject(refused);
      await expect(database.insert('any', [{ _id: 1 }])).rejects.toMatchObject(refused);
      await expect(database.describeCollections()).rejects.toMatchObject(refused);
      await database.close();
    }
  });

  it('is waited for where one of the list may still answer', async () => {
    const peer = await startMongoPeer();
    const { host } = new URL(peer.uri);
    const uri = `mongodb://127.0.0.1:${await freePort()},${host}/shop?replicaSet=peer`;
    const database = openMongo({ uri, database: 'shop' });
    expect(await database.aggregate('any', [])).toEqual([]);
    await database.close();
    await peer.stop();
  });

  it('is found again when it listens', async () => {
    const port = await freePort();
    const database = openMongo({ uri: `mongodb://127.0.0.1:${port}/shop?directConnection=true`, database: 'shop' });
    await expect(database.aggregate('any', [])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    const peer = await startMongoPeer({ port });
    expect(await database.aggregate('any', [])).toEqual([]);
    await database.close();
    await peer.stop();
  });

  it('is reported where no name leads to it, also not by the records of mongodb+srv', async () => {
    for (const scheme of ['mongodb', 'mongodb+srv']) {
      const uri = `${scheme}://app:secret@nowhere.invalid/shop`;
      const database = openMongo({ uri, database: 'shop', connectTimeoutMs: 300 });
      await expect(database.aggregate('any', [])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
      await database.close();
    }
  });

  it('is reported for one that does not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const database = open(`127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
    await expect(database.aggregate('any', [])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    await database.close();
    silent.close();
  });

  it('is refused at once for a parameter that the driver does not know', () => {
    expect(() => open('h', '?nonsense=1')).toThrow(expect.objectContaining({ code: 'DATABASE_URI_INVALID' }));
    expect(() => open('h', '?nonsense=1')).not.toThrow(/secret/);
  });
});
