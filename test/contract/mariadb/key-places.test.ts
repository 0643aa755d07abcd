import { createHash } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { describeKeyPlaces, type KeyedTable, keyedTables } from '../data-source/key-place-tests.ts';

const digest = (number: number) => createHash('sha1').update(String(number)).digest('hex');
/** A word whose order by code points is not that of a collation: case, accents and signs. */
const word = (number: number) => `${['Ä', 'a', 'B', '_', 'b', 'É'][number % 6]}${digest(number).slice(0, 12)}`;
const uuid = (number: number) => digest(number).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');

const common: Readonly<Record<string, KeyedTable>> = {
  words: { key: { id: 'varchar(40) collate utf8mb4_general_ci' }, row: (number) => `'${word(number)}'` },
  latin: {
    key: { id: 'varchar(40) character set latin1 collate latin1_swedish_ci' },
    row: (number) => `'${word(number)}'`,
  },
  texts_of_uuids: { key: { id: 'char(36)' }, row: (number) => `'${uuid(number)}'` },
  pairs: {
    key: { part: 'varchar(20)', place: 'int' },
    row: (number) => `'${['B', 'a', 'Ä'][number % 3]}', ${number}`,
  },
};

const ofMariadb: Readonly<Record<string, KeyedTable>> = {
  uuids: { key: { id: 'uuid' }, row: (number) => `'${uuid(number)}'` },
  addresses: { key: { id: 'inet6' }, row: (number) => `'2001:db8::${number.toString(16)}'` },
};

describeOnMysqlFamily('places of keys', (member) => {
  const tables = member.dialect === 'mariadb' ? { ...common, ...ofMariadb } : common;
  let server: MysqlFamilyServer;
  let source: DataSource;
  beforeAll(async () => {
    server = await member.start();
    const names = Object.keys(tables).join();
    const database = await server.createDatabase('keys', [...keyedTables(tables), `analyze table ${names}`]);
    const { host, port, user: username, password } = server;
    source = await createSqlDataSource({ dialect: member.dialect, host, port, database, username, password })();
  });
  afterAll(async () => {
    await source?.close();
    await server?.stop();
  });

  describeKeyPlaces(tables, /filesort/i, () => source);
});
