import { describeOnMariadb } from '../../helpers/mariadb-server.ts';
import { useMariadbTables } from '../data-source/open-mariadb.ts';
import { describeFlattener } from '../flattener/flattener-suite.ts';

describeOnMariadb('Flattening', () => {
  describeFlattener('MariaDB', useMariadbTables());
});
