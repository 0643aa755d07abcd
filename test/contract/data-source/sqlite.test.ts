import { describeDataSource } from './data-source-suite.ts';
import { openSqliteTables } from './open-sqlite.ts';

// SQLite keeps decimals as floating-point numbers.
describeDataSource('SQLite', openSqliteTables, { decimalDigits: 15 });
