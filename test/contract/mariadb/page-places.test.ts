import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createRecordService } from '#runtime/records/create-record-service';
import type { PlaceInList } from '#runtime/records/request/record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const call = callIn('UTC');

/** Types, and values of each as SQL, for which a place is more than the value that a record shows. */
const columns: Readonly<Record<string, readonly [type: string, ...values: string[]]>> = {
  zero_time: ['datetime', "'0000-00-00'", "'2024-01-01'", "'1000-01-01'"],
  zero_day: ['date', "'0000-00-00'", "'2024-01-01'", "'2024-02-00'"],
  micro: [
    'datetime(6)',
    "'2024-01-01 00:00:00.000001'",
    "'2024-01-01 00:00:00.000002'",
    "'2024-01-01 00:00:00.000999'",
  ],
  stamp: ['timestamp(6) null', "'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'", "'1970-01-02 00:00:00'"],
  long_time: ['time(3)', "'-838:59:59.000'", "'838:59:59.000'", "'00:00:00.001'"],
  bits: ['bit(64)', "b'1'", '0xffffffffffffffff', '0x7fffffffffffffff'],
  truth: ['tinyint(1)', '0', '1', '5'],
  big: ['bigint unsigned', '18446744073709551615', '9007199254740993', '9007199254740992'],
  exact: ['decimal(40,20)', '0.00000000000000000001', '12345678901234567890.00000000000000000002', '-1'],
  single: ['float', '0.1', '0.3', '16777217'],
  years: ['year', '1901', '2155', '0'],
  latin: ['varchar(20) character set latin1 collate latin1_swedish_ci', "'Ä'", "'a'", "'A '"],
  folded: ['varchar(20) character set utf8mb4 collate utf8mb4_general_ci', "'é'", "'E'", "'😀'"],
  choices: ["set('b','a','c')", "'a,b'", "'c'", "''"],
  choice: ["enum('z','y')", "'z'", "'y'", "'z'"],
};

describeOnMysqlFamily('pages with a place', (member) => {
  let server: MysqlFamilyServer;
  let source: DataSource;
  beforeAll(async () => {
    server = await member.start();
    const names = Object.keys(columns);
    const types = names.map((name) => `${name} ${columns[name]?.[0]}`);
    const rows = Array.from({ length: 9 }, (_, row) =>
      [row + 1, ...names.map((name) => ([...(columns[name] ?? []).slice(1), 'null'] as string[])[row % 4])].join(),
    );
    const database = await server.createDatabase('places', [
      "set sql_mode = ''",
      `create table odd (id int primary key, ${types.join()})`,
      `insert into odd values ${rows.map((row) => `(${row})`).join()}`,
    ]);
    const { host, port, user: username, password } = server;
    source = await createSqlDataSource({ dialect: member.dialect, host, port, database, username, password })();
  });
  afterAll(async () => {
    await source?.close();
    await server?.stop();
  });

  const orders = Object.keys(columns).flatMap((name) => [true, false].map((ascending) => [name, ascending] as const));

  it.each(orders)(
    'show every record once, and go on behind one that is gone: %s, ascending %s',
    async (field, ascending) => {
      const service = createRecordService(compileModel([source], []), everythingAllowed);
      const sort = [
        { field, ascending },
        { field: 'id', ascending: true },
      ];
      const query = { collection: 'odd', projection: ['id'], sort };
      const whole = (await source.list(query, { timezone: 'UTC' })).map(({ id }) => id);
      expect(whole).toHaveLength(9);
      const shown: unknown[] = [];
      let after: PlaceInList | undefined;
      do {
        const read = () => ({ ...query, size: 2, after });
        const { records, hasMore, placeBehind } = await service.page({ collection: 'odd', read }, call);
        shown.push(...records.map(({ id }) => id));
        // What is counted would end here: nothing lies behind a thousand records.
        after = hasMore ? { ...(await placeBehind(records.length)), skip: 1000 } : undefined;
      } while (after);
      expect(shown).toEqual(whole);
    },
  );
});
