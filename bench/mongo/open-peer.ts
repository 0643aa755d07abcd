import { MongoClient } from 'mongodb';
import type { MongoDatabase, MongoDocument } from '../../src/kernel/ports/mongo-database.ts';
import { openMongo } from '../../src/node/mongo/open-mongo.ts';
import { createMingoDatabase } from '../../test/helpers/mingo/mingo-database.ts';

/** What both the data source and the pipelines by hand are asked of. */
export interface MongoPeer {
  readonly name: 'mingo' | 'mongodb';
  readonly database: MongoDatabase;
  close(): Promise<void>;
}

export type Documents = Readonly<Record<string, readonly MongoDocument[]>>;

/** Documents in memory behind the interface of the driver. */
export function openMingoPeer(documents: Documents): MongoPeer {
  const collections = Object.entries(documents).map(([name, all]) => [name, { documents: all }] as const);
  const database = createMingoDatabase(Object.fromEntries(collections));
  return { name: 'mingo', database, close: () => database.close() };
}

/** A database of a server, dropped when it is closed. */
export async function openServerPeer(uri: string, documents: Documents): Promise<MongoPeer> {
  const name = `vendor_cloud_bench_${process.pid}`;
  const client = new MongoClient(uri);
  for (const [collection, all] of Object.entries(documents)) {
    await client
      .db(name)
      .collection(collection)
      .insertMany([...all]);
  }
  const database = openMongo({ uri, database: name });
  return {
    name: 'mongodb',
    database,
    close: async () => {
      await database.close();
      await client.db(name).dropDatabase();
      await client.close();
    },
  };
}
