import { MongoClient } from 'mongodb';
import { openMongo } from '#node/mongo/open-mongo';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createMongoSourceOn } from '#runtime/data-sources/mongo/mongo-data-source';
import type { MingoCollection } from '../../helpers/mingo/mingo-database.ts';
import type { NeutralTable } from '../data-source/tables.ts';
import { collectionsOf, describeTables, withNumbering } from './neutral-documents.ts';

let databases = 0;

/** A data source on a database of a server, made for the tables and dropped when the source is closed. */
export async function openServerTables(uri: string, tables: readonly NeutralTable[]): Promise<DataSource> {
  databases += 1;
  const name = `vendor_cloud_${process.pid}_${databases}`;
  const description = describeTables(tables);
  const client = new MongoClient(uri);
  for (const [collection, rules] of Object.entries(collectionsOf(tables, description))) {
    await createCollection(client, name, collection, rules);
  }
  // A server that makes transactions wait for each other needs a connection for each that waits.
  const source = await createMongoSourceOn(openMongo({ uri, database: name, poolSize: 50 }), description);
  return {
    ...withNumbering(source, tables),
    async close() {
      await source.close();
      await client.db(name).dropDatabase();
      await client.close();
    },
  };
}

async function createCollection(
  client: MongoClient,
  database: string,
  name: string,
  rules: MingoCollection,
): Promise<void> {
  const { documents, uniqueKeys = [], jsonSchema = {} } = rules;
  const validator = Object.keys(jsonSchema).length > 0 ? { validator: { $jsonSchema: jsonSchema } } : {};
  const collection = await client.db(database).createCollection(name, validator);
  for (const paths of uniqueKeys) {
    // A unique index takes null for a value like others, unless it leaves it out.
    const partialFilterExpression = Object.fromEntries(paths.map((path) => [path, { $gt: '' }]));
    const isOfTexts = paths.length === 1 && paths[0] === 'email';
    await collection.createIndex(Object.fromEntries(paths.map((path) => [path, 1])), {
      unique: true,
      ...(isOfTexts ? { partialFilterExpression } : {}),
    });
  }
  if (documents.length > 0) await collection.insertMany([...documents]);
}
