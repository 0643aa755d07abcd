import { describeDataSource } from './data-source-suite.ts';
import { openScannedSqliteTables, openSqliteTables } from './open-sqlite.ts';

// SQLite keeps decimals as floating-point numbers.
describeDataSource('SQLite', openSqliteTables, { decimalDigits: 15 });
describeDataSource('SQLite by scan readers', openScannedSqliteTables, { decimalDigits: 15 });
