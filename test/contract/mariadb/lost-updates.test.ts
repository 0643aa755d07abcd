import { describeOnMariadb } from '../../helpers/mariadb-server.ts';
import { useMariadbTables } from '../data-source/open-mariadb.ts';
import { describeLostUpdates } from '../permissions/lost-update-suite.ts';

describeOnMariadb('Writes that say what they have seen', () => {
  describeLostUpdates('MariaDB', useMariadbTables(), { hasDocuments: true });
});
