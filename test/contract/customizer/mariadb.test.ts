import { describeOnMariadb } from '../../helpers/mariadb-server.ts';
import { useMariadbTables } from '../data-source/open-mariadb.ts';
import { describeSearch } from './search-tests.ts';

describeOnMariadb('Searches', () => {
  describeSearch(useMariadbTables());
});
