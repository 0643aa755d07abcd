import { describeOnMariadb } from '../../helpers/mariadb-server.ts';
import { useMariadbTables } from '../data-source/open-mariadb.ts';
import { describeCustomizer } from './customizer-suite.ts';

describeOnMariadb('Customizations', () => {
  const open = useMariadbTables();
  describeCustomizer('MariaDB', (tables) => open(tables));
});
