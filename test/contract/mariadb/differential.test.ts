import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import { useMysqlFamilyTables } from '../data-source/open-mysql-family.ts';
import { describeDifferential } from '../differential/differential-suite.ts';

describeOnMysqlFamily('Random queries', (member) => {
  describeDifferential([{ name: member.name, open: useMysqlFamilyTables(member) }], {
    databases: 60,
    decimal: [38, 6],
    withoutTypes: member.lacksTypes,
  });
});
