import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import { useMysqlFamilyTables } from '../data-source/open-mysql-family.ts';
import { describeCustomizer } from './customizer-suite.ts';

describeOnMysqlFamily('Customizations', (member) => {
  const open = useMysqlFamilyTables(member);
  describeCustomizer(member.name, (tables) => open(tables));
});
