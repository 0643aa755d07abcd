import { createHash } from 'node:crypto';
import type { MongoDatabase } from '#kernel/ports/mongo-database';
import type { CollectionSchema, FieldSchema } from '../../query/collection-schema.ts';
import type { DataSource } from '../interface/data-source.ts';
import { collectionsFromTables } from '../tables/collections-from-tables.ts';
import type { TableDescription } from '../tables/table-description.ts';
import type { DocumentSource, MongoModel } from './document-source.ts';
import { mongoOperatorsOf } from './mongo-leaf-filter.ts';
import { createMongoStore } from './mongo-record-store.ts';

const withoutTransactions =
  'The MongoDB server is standalone, and has no transactions: writes of several documents can stop half-way. A replica set has them, also one of a single server.';

/** A data source on an opened database. */
export async function createMongoSourceOn(database: MongoDatabase, description: MongoDescription): Promise<DataSource> {
  const { tables, sources, readOnly, warnings } = description;
  const isAtomic = await database.hasTransactions();
  const collections = collectionsFromTables(tables, mongoOperatorsOf).map((schema) => {
    const known = isAtomic ? schema : { ...schema, hasNoTransactions: true };
    return readOnly.has(schema.name) ? readOnlySchema(known) : known;
  });
  const storeOf = (schemas: readonly CollectionSchema[]) =>
    createMongoStore(database, modelOf(schemas, sources), isAtomic);
  return {
    ...storeOf(collections),
    collections,
    warnings: isAtomic ? warnings : [...warnings, withoutTransactions],
    extendedBy: storeOf,
    fingerprint: async () => {
      const described = await database.describeCollections();
      return createHash('sha256').update(JSON.stringify(described)).digest('hex');
    },
    openConnections: () => database.openConnections(),
    close: () => database.close(),
  };
}

function modelOf(schemas: readonly CollectionSchema[], sources: MongoDescription['sources']): MongoModel {
  return new Map(
    schemas.flatMap((schema) => {
      const source = sources.get(schema.name);
      return source ? [[schema.name, { schema, source }] as const] : [];
    }),
  );
}

function readOnlySchema(schema: CollectionSchema): CollectionSchema {
  const fields = [...schema.fields].map(([name, field]): [string, FieldSchema] => [
    name,
    field.kind === 'column' ? { ...field, isReadOnly: true } : field,
  ]);
  return { ...schema, isReadOnly: true, fields: new Map(fields) };
}

/** What a data source shows of a database. */
export interface MongoDescription {
  readonly tables: readonly TableDescription[];
  /** Where the records of each table are. */
  readonly sources: ReadonlyMap<string, DocumentSource>;
  /** Those whose records cannot be written: views, and elements of arrays without ids of their own. */
  readonly readOnly: ReadonlySet<string>;
  readonly warnings: readonly string[];
}
