import { describeOnMariadb } from '../../helpers/mariadb-server.ts';
import { useMariadbTables } from '../data-source/open-mariadb.ts';
import { describeRandomExpressions } from '../expressions/expression-suite.ts';

describeOnMariadb('Random expressions', () => {
  describeRandomExpressions([{ name: 'MariaDB', open: useMariadbTables() }], 40);
});
