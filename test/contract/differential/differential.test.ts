import { openMemory } from '../data-source/open-memory.ts';
import { openScannedSqliteTables, openSqliteTables } from '../data-source/open-sqlite.ts';
import { describeDifferential } from './differential-suite.ts';

describeDifferential([
  { name: 'memory', open: openMemory },
  { name: 'SQLite', open: openSqliteTables },
]);

// Each database starts a thread.
describeDifferential([{ name: 'SQLite by scan readers', open: openScannedSqliteTables }], { databases: 60 });
