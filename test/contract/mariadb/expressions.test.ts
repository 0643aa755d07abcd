import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import { useMysqlFamilyTables } from '../data-source/open-mysql-family.ts';
import { describeRandomExpressions } from '../expressions/expression-suite.ts';

describeOnMysqlFamily('Random expressions', (member) => {
  describeRandomExpressions([{ name: member.name, open: useMysqlFamilyTables(member) }], 20, {
    withoutTypes: member.lacksTypes,
  });
});
