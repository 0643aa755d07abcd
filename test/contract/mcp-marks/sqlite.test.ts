import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { describeObedientClient, injectedTasks } from './obedient-client-suite.ts';

describeObedientClient('SQLite', openSqliteTables, injectedTasks(300));
