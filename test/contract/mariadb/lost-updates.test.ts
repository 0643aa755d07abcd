import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import { useMysqlFamilyTables } from '../data-source/open-mysql-family.ts';
import { describeLostUpdates } from '../permissions/lost-update-suite.ts';

describeOnMysqlFamily('Writes that say what they have seen', (member) => {
  describeLostUpdates(member.name, useMysqlFamilyTables(member), { hasDocuments: true });
});
