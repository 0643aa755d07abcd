import { describeOnMariadb } from '../../helpers/mariadb-server.ts';
import { useMariadbTables } from '../data-source/open-mariadb.ts';
import { describeDifferential } from '../differential/differential-suite.ts';

describeOnMariadb('Random queries', () => {
  describeDifferential([{ name: 'MariaDB', open: useMariadbTables() }], { databases: 120, decimal: [38, 6] });
});
