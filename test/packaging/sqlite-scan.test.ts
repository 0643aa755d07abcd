import { execa } from 'execa';
import { expect, it } from 'vitest';
import { installedPackage } from '../helpers/installed-package.ts';
import { temporaryDatabase } from '../helpers/temporary-database.ts';

it('the installed package scans a large table of SQLite in a thread', async () => {
  const { folder } = installedPackage();
  const storage = await temporaryDatabase(`
    create table events (id integer primary key, note text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000) insert into events select i, 'n' || i from n;
  `);
  const program = `
    const { createSqlDataSource } = await import('@vendor/cloud/agent');
    const source = await createSqlDataSource(${JSON.stringify({ dialect: 'sqlite', storage })})();
    const where = { field: 'note', operator: 'Equal', value: 'n7' };
    console.log(await source.count('events', where, { timezone: 'UTC' }), source.openConnections());
  `;
  const { stdout, stderr } = await execa(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  expect([stdout, stderr]).toEqual(['1 3', '']);
});
