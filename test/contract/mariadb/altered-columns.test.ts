import { afterAll, beforeAll } from 'vitest';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { describeAlteredColumns } from '../data-source/altered-columns-suite.ts';
import { alteredMysqlColumns } from '../data-source/altered-mysql-columns.ts';

describeOnMysqlFamily('A column that is altered', (member) => {
  let server: MysqlFamilyServer;
  beforeAll(async () => {
    server = await member.start();
  });
  afterAll(() => server?.stop());

  describeAlteredColumns(alteredMysqlColumns(member.dialect, () => server));
});
