import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { evaluateCondition } from '#runtime/query/evaluate-condition';
import type { Operator } from '#runtime/query/operators';
import { describeOnEngines, describeOnMysqlFamilyServers, describeOnPostgres, type OpenDatabase } from './engines.ts';
import { context, serve, valuesOf } from './requests.ts';

/** Two of one millisecond, its neighbours on both sides, one before 1970 and none. */
const stored = [
  '2024-05-01 10:00:00.122999',
  '2024-05-01 10:00:00.123000',
  '2024-05-01 10:00:00.123456',
  '2024-05-01 10:00:00.124000',
  '1965-05-01 10:00:00.123456',
  null,
];
const shown = '2024-05-01T10:00:00.123Z';
const values = [
  shown,
  '2024-05-01T12:00:00.123+02:00',
  '2024-05-01T10:00:00.123456Z',
  '2024-05-01T10:00:00.123000Z',
  '1965-05-01T10:00:00.123Z',
  '2024-05-01T10:00:00Z',
];

describeOnEngines('Instants of microseconds', (open, dialect) => {
  const type = { postgres: 'timestamptz', mariadb: 'datetime(6)', mysql: 'datetime(6)', sqlite: 'datetime' }[dialect];
  const naive = stored.map((at) => (at === null ? 'null' : `'${at}'`));
  // The session of the server is in a zone of its own.
  const rows = naive.map((at, id) => `(${id}, ${dialect === 'postgres' ? at.replace(/(\d)'/, "$1+00'") : at}, ${at})`);
  const script = [
    `create table events (id int primary key, at ${type}, local ${dialect === 'postgres' ? 'timestamp' : type})`,
    `insert into events values ${rows}`,
  ];

  it.each(['at', 'local'])('finds a record by the instant that it shows: %s', async (field) => {
    const service = serve((await open(script)).dataSource);
    const found = (operator: Operator, value: unknown) => valuesOf(service, 'events', 'id', { field, operator, value });
    // SQLite rounds what has more digits, in conditions and in records.
    const [same, others] =
      dialect === 'sqlite'
        ? [
            [0, 1, 2],
            [3, 4, 5],
          ]
        : [
            [1, 2],
            [0, 3, 4, 5],
          ];
    const records = await service.list({ collection: 'events', sort: [{ field: 'id', ascending: true }] }, context);
    expect(records.filter((record) => record[field] === shown).map(({ id }) => id)).toEqual(same);
    expect(await found('Equal', shown)).toEqual(same);
    expect(await found('In', [shown])).toEqual(same);
    expect(await found('NotEqual', shown)).toEqual(others);
    expect(await found('NotIn', [shown])).toEqual(others);
    expect(await found('NotIn', [])).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await found('NotIn', [null])).toEqual([0, 1, 2, 3, 4]);
  });
});

/** SQLite reads and compares instants by the millisecond. */
function microsecondTests(open: OpenDatabase, type: string, zone: string): void {
  const rows = stored.map((at, id) => `(${id}, ${at === null ? 'null' : `'${at}${zone}'`})`);

  it('compares as the evaluator does', async () => {
    const { dataSource } = await open([
      `create table events (id int primary key, at ${type})`,
      `insert into events values ${rows}`,
    ]);
    const service = serve(dataSource);
    const column = dataSource.collections[0]?.fields.get('at');
    if (column?.kind !== 'column') throw new Error('The table has a column "at".');
    const records = stored.map((at, id) => ({ id, at: at === null ? null : `${at.replace(' ', 'T')}Z` }));
    const leaves = values.flatMap((value): ConditionTree[] => [
      ...(['Equal', 'NotEqual', 'Before', 'After'] as const).map((operator) => ({
        field: 'at',
        operator,
        value,
      })),
      ...(['In', 'NotIn'] as const).flatMap((operator) =>
        [[value], [value, null], [value, values[2], '1965-05-01T10:00:00.123Z']].map((list) => ({
          field: 'at',
          operator,
          value: list,
        })),
      ),
    ]);
    for (const leaf of leaves) {
      const expected = records.filter((record) => evaluateCondition(record, leaf, () => column, DateTime.utc()));
      const found = await valuesOf(service, 'events', 'id', leaf);
      expect(found, JSON.stringify(leaf)).toEqual(expected.map(({ id }) => id));
    }
  });

  it('compares keys exactly, which show every digit', async () => {
    const service = serve(
      (
        await open([
          `create table k (at ${type} primary key)`,
          `insert into k values ('${stored[1]}${zone}'), ('${stored[2]}${zone}')`,
        ])
      ).dataSource,
    );
    for (const operator of ['Equal', 'In'] as const) {
      const by = (value: string) => ({ field: 'at', operator, value: operator === 'In' ? [value] : value });
      expect(await valuesOf(service, 'k', 'at', by(shown))).toEqual([shown]);
      const exact = '2024-05-01T10:00:00.123456Z';
      expect(await valuesOf(service, 'k', 'at', by(exact))).toEqual([exact]);
    }
  });
}

describeOnPostgres('Microseconds', (open) => microsecondTests(open, 'timestamptz', '+00'));
describeOnMysqlFamilyServers('Microseconds', (open) => microsecondTests(open, 'datetime(6)', ''));
