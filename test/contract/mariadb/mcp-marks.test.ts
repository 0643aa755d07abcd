import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import { useMysqlFamilyTables } from '../data-source/open-mysql-family.ts';
import { describeObedientClient, injectedTasks } from '../mcp-marks/obedient-client-suite.ts';

describeOnMysqlFamily('A client that obeys every text', (member) => {
  describeObedientClient(member.name, useMysqlFamilyTables(member), injectedTasks(30));
});
