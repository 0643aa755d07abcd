import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import { useMysqlFamilyTables } from '../data-source/open-mysql-family.ts';
import { describeFlattener } from '../flattener/flattener-suite.ts';

describeOnMysqlFamily('Flattening', (member) => {
  describeFlattener(member.name, useMysqlFamilyTables(member));
});
