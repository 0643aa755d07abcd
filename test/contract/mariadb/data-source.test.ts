import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import { describeDataSource } from '../data-source/data-source-suite.ts';
import { useMysqlFamilyTables } from '../data-source/open-mysql-family.ts';
import type { EngineLimits } from '../data-source/opened.ts';

describeOnMysqlFamily('A data source', (member) => {
  const open = useMysqlFamilyTables(member);
  const otherScheme = member.dialect === 'mysql' ? 'mariadb' : 'mysql';
  const limits: EngineLimits =
    member.dialect === 'mysql' ? { lacks: { uuids: 'MySQL keeps UUIDs as texts or bytes' } } : {};
  describeDataSource(member.name, open, limits);
  const asText = `${member.name} without prepared statements`;
  describeDataSource(asText, (tables) => open(tables, { preparedStatements: false }), limits);
  describeDataSource(`${member.name} by ${otherScheme}://`, (tables) => open(tables, { dialect: otherScheme }), limits);
});
