import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createMongoSourceOn } from '#runtime/data-sources/mongo/mongo-data-source';
import { createMingoDatabase } from '../../helpers/mingo/mingo-database.ts';
import type { NeutralTable } from '../data-source/tables.ts';
import { collectionsOf, describeTables, withNumbering } from './neutral-documents.ts';

/** A data source on documents in memory, with the queries of mingo. */
export async function openMingo(
  tables: readonly NeutralTable[],
  options: { readonly hasTransactions?: boolean } = {},
): Promise<DataSource> {
  const description = describeTables(tables);
  const database = createMingoDatabase(collectionsOf(tables, description), options);
  return withNumbering(await createMongoSourceOn(database, description), tables);
}
