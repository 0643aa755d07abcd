import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { mariadbDialect, openMariadbEngine } from '#runtime/data-sources/mariadb/open-mariadb-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import type { SqlEngine } from '#runtime/data-sources/sql/sql-engine';
import type { AggregateOperation } from '#runtime/query/aggregation';
import type { ColumnSchema } from '#runtime/query/collection-schema';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const utc = { timezone: 'UTC' };

describeOnMysqlFamily('Aggregates', (member) => {
  let server: MysqlFamilyServer;
  let engine: SqlEngine;
  let dataSource: DataSource;
  const columnOf = (name: string): ColumnSchema => {
    const field = dataSource.collections[0]?.fields.get(name);
    if (field?.kind !== 'column') throw new Error(`There is no column ${name}.`);
    return field;
  };

  beforeAll(async () => {
    server = await member.start();
    const database = await server.createDatabase('aggregates', [
      `create table sales (id int primary key, price decimal(38,4), big bigint, whole int, ratio double, mask bit(8),
        word varchar(20) collate utf8mb4_general_ci, at datetime(6), clock time(6), flag tinyint(1), uid ${member.dialect === 'mysql' ? 'char(36)' : 'uuid'}, shape point)`,
      `insert into sales values
        (1, '1234567890123456789012345678901234.5678', 9223372036854775807, 1, 0.5, b'1', 'a', '2024-01-01 00:00:00.123456', '10:00:00.123456', 1, '00000000-0000-0000-0000-000000000001', point(1, 2)),
        (2, '0.0001', 9223372036854775807, 2, 0.25, b'11', 'A', '2024-01-01 00:00:00.123999', '10:00:00.123999', 2, '00000000-0000-0000-0000-000000000002', null),
        (3, '0.0001', -1, 2, 0.25, b'11', 'a ', '2024-01-01 00:00:00.124', null, 0, null, null),
        (4, null, null, null, null, null, null, null, null, null, null, null)`,
    ]);
    const { host, port, user, password } = server;
    engine = await openMariadbEngine({ host, port, user, password, database });
    dataSource = await createDataSourceOn(engine);
  });
  afterAll(async () => {
    await dataSource?.close();
    await server?.stop();
  });

  it.each([
    ['Sum', 'price', '1234567890123456789012345678901234.5680'],
    ['Avg', 'price', '411522630041152263004115226300411.5226666667'],
    ['Min', 'price', '0.0001'],
    ['Max', 'price', '1234567890123456789012345678901234.5678'],
    ['Sum', 'big', '18446744073709551613'],
    ['Avg', 'big', '6148914691236517204.333333'],
    ['Sum', 'whole', 5],
    ['Avg', 'whole', 5 / 3],
    ['Sum', 'ratio', 1],
    ['Sum', 'mask', 7],
    ['Max', 'mask', 3],
    ['Min', 'word', 'A'],
    ['Max', 'word', 'a '],
    ['Max', 'at', '2024-01-01T00:00:00.124Z'],
    ['Min', 'clock', '10:00:00.123456'],
    ['Max', 'flag', true],
    ['Max', 'uid', '00000000-0000-0000-0000-000000000002'],
    ['Count', 'uid', 2],
    ['Count', undefined, 4],
  ] as const satisfies readonly (readonly [AggregateOperation, string | undefined, unknown])[])(
    'computes %s of %s exactly',
    async (operation, field, value) => {
      const rows = await dataSource.aggregate(
        { collection: 'sales', aggregation: { operation, field, groups: [] } },
        utc,
      );
      expect(rows).toEqual([{ value, group: {} }]);
    },
  );

  it.each([
    ['word', ['A', 'a', 'a ', null]],
    ['at', ['2024-01-01T00:00:00.123Z', '2024-01-01T00:00:00.124Z', null]],
    ['clock', ['10:00:00.123456', '10:00:00.123999', null]],
    ['flag', [false, true, null]],
    ['mask', [1, 3, null]],
    ['uid', ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002', null]],
  ] as const satisfies readonly (readonly [string, readonly unknown[]])[])(
    'has one group for each value of %s that records can tell apart',
    async (name, groups) => {
      const column = columnOf(name);
      const key = mariadbDialect.groupKey?.(column, sql.id('t0', name)) ?? sql``;
      const { sql: text } = mariadbDialect.compile(sql`select ${key} as k from sales as t0 group by 1`);
      const rows = await engine.read(text, [], utc);
      const decode = mariadbDialect.decoderOf(column);
      const found = rows.map((row) => (row['k'] === null || row['k'] === undefined ? null : decode(row['k'])));
      expect(new Set(found)).toEqual(new Set<unknown>(groups));
      expect(found).toHaveLength(groups.length);
    },
  );

  it('shows geometry as GeoJSON', async () => {
    const column = columnOf('shape');
    const selected = mariadbDialect.selection?.(column, sql.id('t0', 'shape')) ?? sql``;
    const { sql: text } = mariadbDialect.compile(sql`select ${selected} as shape from sales as t0 where id = 1`);
    const [row] = await engine.read(text, [], utc);
    expect(mariadbDialect.decoderOf(column)(row?.['shape'] ?? null)).toEqual({ type: 'Point', coordinates: [1, 2] });
  });

  it('takes the present of the caller for relative dates', async () => {
    const column = columnOf('at');
    const condition = mariadbDialect.condition({
      column,
      operator: 'Today',
      variant: 'null',
      index: 0,
      reference: sql.id('at'),
    });
    const { sql: text, parameters } = mariadbDialect.compile(sql`select id from sales where ${condition} order by id`);
    const inZone = async (zone: string, now: string) => {
      const context = { values: [undefined], page: { skip: 0, limit: 0 }, now: () => DateTime.fromISO(now, { zone }) };
      const rows = await engine.read(
        text,
        parameters.map((bind) => bind(context)),
        utc,
      );
      return rows.map((row) => row['id']);
    };
    expect(await inZone('Asia/Kolkata', '2024-01-01T12:00:00Z')).toEqual([1, 2, 3]);
    expect(await inZone('America/New_York', '2024-01-01T12:00:00Z')).toEqual([]);
    expect(await inZone('America/New_York', '2024-01-01T02:00:00Z')).toEqual([1, 2, 3]);
  });
});
