import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const utc = { timezone: 'UTC' };

describeOnMysqlFamily('A bit string', (member) => {
  let server: MysqlFamilyServer;
  let source: DataSource;
  beforeAll(async () => {
    server = await member.start();
    const database = await server.createDatabase('shop', [
      'create table masks (id int auto_increment primary key, byte_wide bit(8), odd bit(12), wide bit(64))',
    ]);
    const { host, port, user: username, password } = server;
    source = await createSqlDataSource({ dialect: member.dialect, host, port, database, username, password })();
  });
  afterAll(async () => {
    await source?.close();
    await server?.stop();
  });

  it.each([
    ['byte_wide', 255, 255],
    ['byte_wide', '5.0', 5],
    ['odd', 4095, 4095],
    ['wide', '18446744073709551615', '18446744073709551615'],
    ['wide', '1e3', '1000'],
  ] as const)('keeps the number it is given: %s, %s', async (field, value, kept) => {
    const [created] = await source.create('masks', [{ [field]: value }], utc);
    expect(created?.[field]).toBe(kept);
  });

  it.each([
    ['byte_wide', 256, '255'],
    ['byte_wide', -1, '255'],
    ['byte_wide', 1.5, '255'],
    ['byte_wide', 'NaN', '255'],
    ['odd', 4096, '4095'],
    ['odd', 65_537, '4095'],
    ['wide', '18446744073709551616', '18446744073709551615'],
    ['wide', '1e999999999', '18446744073709551615'],
  ] as const)('is not made another one of a number that does not fit: %s, %s', async (field, value, largest) => {
    await expect(source.create('masks', [{ [field]: value }], utc)).rejects.toMatchObject({
      code: 'DATABASE_VALUE_REFUSED',
      message: `The value of "${field}" is not a whole number from 0 to ${largest}, which is what its column holds.`,
      details: { field },
    });
  });
});
