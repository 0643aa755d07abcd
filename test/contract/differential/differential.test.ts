import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { describeDifferential } from './differential-suite.ts';

describeDifferential([
  { name: 'memory', open: openMemory },
  { name: 'SQLite', open: openSqliteTables },
]);
