import { afterAll, beforeAll } from 'vitest';
import { describeOnMariadb, type MariadbServer, startMariadb } from '../../helpers/mariadb-server.ts';
import { describeAlteredColumns } from '../data-source/altered-columns-suite.ts';
import { alteredMysqlColumns } from '../data-source/altered-mysql-columns.ts';

describeOnMariadb('A column that is altered', () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
  });
  afterAll(() => server?.stop());

  describeAlteredColumns(alteredMysqlColumns('mariadb', () => server));
});
