import { afterAll, beforeAll } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { describeSearchTerms } from '../data-source/search-terms-suite.ts';

const columns = (isMariadb: boolean) => `
  id int primary key, tiny tinyint, small smallint unsigned, middle mediumint, whole int, big bigint, wide bigint unsigned, truth tinyint(1),
  flag bit(1), bits bit(9), exact decimal(12, 4), long_one decimal(65, 30), single float, twice double, made year, words varchar(60),
  binary_words varchar(40) collate utf8mb4_bin, latin varchar(40) character set latin1, three varchar(40) character set utf8mb3, padded char(6),
  body longtext, raw varbinary(8), fixed binary(4), bytes blob, day date, clock time, stamp datetime, moment datetime(6), at timestamp null,
  colour enum('red', 'blue', '5', 'NULL'), latin_colour enum('rot', '5') character set latin1, tags set('red', 'blue', '5'), doc json,
  spot point, shape geometry${isMariadb ? ', code uuid, ip inet6, ip4 inet4' : ''}`;

const script = (isMariadb: boolean) => [
  `create table kinds (${columns(isMariadb)})`,
  `insert into kinds values (1, 5, 5, 5, 5, 9007199254740993, 18446744073709551615, 1, b'1', b'101', 5.5, 5.5, 0.1, 5.5, 2024, 'a 5.5 red', 'A',
    'é', 'é', 'a', '{"a":1}', x'00ff', x'00ff0000', '5', '2024-02-29', '10:20:30', '2024-02-29 10:20:30', '2024-02-29 10:20:30.123',
    '2024-02-29 10:20:30', 'red', 'rot', 'red,5', '{"a":1}', point(1, 2), point(1, 2)
    ${isMariadb ? ", '6f1a9c4e-1111-4222-8333-444455556666', '::1', '10.0.0.1'" : ''})`,
  `insert into kinds values (2, -1, 0, -1, 2147483647, -1, 0, 0, b'0', b'0', -0.5, 1e20, 3.4e38, 1e308, null, '%_\\\\''"', '日本', '', '', '5',
    '007', '', x'35000000', x'c328', '1000-01-01', '838:59:59', '9999-12-31 23:59:59', '1000-01-01 00:00:00', null, 'NULL', '5', '',
    'null', null, null${isMariadb ? ', null, null, null' : ''})`,
  'insert into kinds (id) values (3)',
];

describeOnMysqlFamily('A search', (member) => {
  let server: MysqlFamilyServer;
  beforeAll(async () => {
    server = await member.start();
  });
  afterAll(() => server?.stop());

  describeSearchTerms(async () => {
    const database = await server.createDatabase('kinds', script(member.dialect === 'mariadb'));
    const { host, port, user: username, password } = server;
    return createSqlDataSource({ dialect: member.dialect, host, port, database, username, password })();
  });
});
