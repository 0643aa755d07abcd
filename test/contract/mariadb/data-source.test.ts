import { describeOnMariadb } from '../../helpers/mariadb-server.ts';
import { describeDataSource } from '../data-source/data-source-suite.ts';
import { useMariadbTables } from '../data-source/open-mariadb.ts';

describeOnMariadb('A data source', () => {
  const open = useMariadbTables();
  describeDataSource('MariaDB', open);
  describeDataSource('MariaDB without prepared statements', (tables) => open(tables, { preparedStatements: false }));
  describeDataSource('MariaDB, spoken to as to MySQL', (tables) => open(tables, { dialect: 'mysql' }));
});
