import type { LogTables } from './log-tables.ts';
import type { PeopleTables } from './people-tables.ts';
import type { ProjectTables } from './project-tables.ts';

/** How many migrations the store took. On SQLite its file says so. */
interface VersionOfStore {
  readonly storeVersion: { readonly version: number };
}

/** The tables of the store. */
export interface Tables extends PeopleTables, ProjectTables, LogTables, VersionOfStore {}
