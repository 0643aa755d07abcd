import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { describeRandomExpressions } from './expression-suite.ts';

describeRandomExpressions(
  [
    { name: 'memory', open: openMemory },
    { name: 'SQLite', open: openSqliteTables },
  ],
  100,
);
