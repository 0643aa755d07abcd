import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { describeCustomizer } from './customizer-suite.ts';

describeCustomizer('SQLite', openSqliteTables);
