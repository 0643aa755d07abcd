import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import { memoryCollections } from './memory-tables.ts';
import type { NeutralTable } from './tables.ts';

export async function openMemory(tables: readonly NeutralTable[]): Promise<DataSource> {
  return createMemoryDataSource(memoryCollections(tables));
}
