import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { mariadbDialect, openMariadbEngine } from '#runtime/data-sources/mariadb/open-mariadb-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import type { SqlEngine } from '#runtime/data-sources/sql/sql-engine';
import type { ColumnSchema } from '#runtime/query/collection-schema';
import { leafPredicate } from '#runtime/query/leaf-predicate';
import { type Operator, operatorArguments } from '#runtime/query/operators';
import { describeOnMysqlFamily, type FamilyMember } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const utc = { timezone: 'UTC' };
const texts = [
  'a',
  'A',
  'a ',
  ' a',
  '',
  ' ',
  'á',
  'á',
  'ß',
  'ss',
  'İ',
  'i',
  'I',
  'ı',
  'Σ',
  'σ',
  'ς',
  '50%_off',
  '50x_off',
  'a|b',
  'a\\b',
  'a\nb',
  'ab',
];
const long = ['x'.repeat(501), `${'x'.repeat(500)}y`, `${'é'.repeat(500)} `];
const astral = ['🎈', '🎈x', '𐐀', '𐐨', '\uffff', 'Ꭰ', 'ꭰ'];
const numbers = [0, 1, -1, 7, 255];
const decimals = [
  '0.00',
  '1.50',
  '-1.50',
  '0.01',
  '99999999999999999999999999999999.99',
  '-99999999999999999999999999999999.99',
];
const bigs = ['0', '9007199254740991', '9007199254740993', '9223372036854775807', '-9223372036854775808'];
const unsigned = ['0', '9223372036854775808', '18446744073709551615'];
const instants = [
  '2024-02-29T23:59:59.999Z',
  '2024-03-31T01:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00.000Z',
];

interface TestedColumn {
  readonly ddl: string;
  readonly values: readonly unknown[];
  readonly others?: readonly unknown[];
}

/** Columns with the values that records of them have, and values beside those to compare with. */
const mariadbColumns: Readonly<Record<string, TestedColumn>> = {
  general: { ddl: 'varchar(40) collate utf8mb4_general_ci', values: [...texts, ...astral] },
  unicode: { ddl: 'varchar(40) collate utf8mb4_unicode_ci', values: [...texts, ...astral] },
  exact: { ddl: 'varchar(40) collate utf8mb4_nopad_bin', values: [...texts, ...astral] },
  long: { ddl: 'longtext collate utf8mb4_uca1400_ai_ci', values: [...texts, ...astral, ...long] },
  latin: { ddl: 'varchar(40) character set latin1', values: ['a', 'A', 'a ', 'é', 'É', '', '?'], others: astral },
  three: { ddl: 'varchar(40) character set utf8mb3', values: texts, others: astral },
  tags: { ddl: "set('x','y','X y') collate utf8mb4_bin", values: ['', 'x', 'x,y', 'y,X y'], others: ['X', 'y,x'] },
  mood: { ddl: "enum('z','Ä','a b') collate utf8mb4_general_ci", values: ['z', 'Ä', 'a b'] },
  uid: {
    ddl: 'uuid',
    values: [
      '00000000-0000-0000-0000-000000000000',
      '1c9b5a4e-0b1c-11ee-be56-0242ac120002',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ],
    others: ['1C9B5A4E-0B1C-11EE-BE56-0242AC120002'],
  },
  ip: { ddl: 'inet6', values: ['::1', 'fe80::1', '::ffff:192.0.2.1'], others: ['nonsense'] },
  whole: { ddl: 'int', values: [...numbers, 2147483647], others: [1.5, '7', 1e300, '12345678901234567890123'] },
  tiny: { ddl: 'tinyint unsigned', values: [0, 1, 7, 255], others: [-1, 256, 0.5] },
  big: { ddl: 'bigint', values: bigs, others: ['9007199254740992', 0, 0.5, '1e40', '9223372036854775808'] },
  huge: { ddl: 'bigint unsigned', values: unsigned, others: ['-1', '18446744073709551616', 0] },
  price: {
    ddl: 'decimal(34,2)',
    values: decimals,
    others: ['1.5', '1.500000000000000000000000000000000000001', 1.5, '0.005', '1e33', '-1e33', '1e-9'],
  },
  fine: {
    ddl: 'decimal(38,30)',
    values: [
      '1.000000000000000000000000000001',
      '0.000000000000000000000000000000',
      '99999999.000000000000000000000000000000',
    ],
    others: ['1', 1, '1e9'],
  },
  ratio: { ddl: 'double', values: [0, 0.1, -1.5, 1e300, 5e-324, 9007199254740992], others: ['0.1', 0.2] },
  single: { ddl: 'float', values: [0, 0.1, -1.5, 16777216], others: [0.2] },
  mask: { ddl: 'bit(12)', values: [0, 1, 255, 4095], others: [4096, -1, 0.5] },
  wide: { ddl: 'bit(64)', values: unsigned, others: ['1'] },
  made: { ddl: 'year', values: [1901, 2024, 2155], others: [24, 1] },
  flag: { ddl: 'tinyint(1)', values: [true, false] },
  one: { ddl: 'bit(1)', values: [true, false] },
  at: {
    ddl: 'datetime(3)',
    values: instants,
    others: ['2024-02-29T23:59:59.9991Z', '2024-03-01T00:59:59.999+01:00', '+012345-01-01T00:00:00.000Z'],
  },
  stamp: {
    ddl: 'timestamp(3) null',
    values: ['2024-02-29T23:59:59.999Z', '1970-01-02T00:00:00.000Z'],
    others: instants,
  },
  day: { ddl: 'date', values: ['2024-02-29', '0001-01-01', '9999-12-31'], others: ['2024-02-28'] },
  clock: {
    ddl: 'time(3)',
    values: ['00:00:00', '23:59:59.999', '12:30:00.5', '-12:30:00.5', '-00:00:01', '100:00:00', '838:59:59'],
    others: ['12:30', '12:30:00.500', '23:59:59.9991', '-838:59:59', '99:59:59'],
  },
};

/** MySQL has no types for UUIDs and addresses, and collations of its own. */
function columnsOf({ dialect }: FamilyMember): Readonly<Record<string, TestedColumn>> {
  if (dialect === 'mariadb') return mariadbColumns;
  const ofMysql = (ddl: string) =>
    ddl.replace('utf8mb4_nopad_bin', 'utf8mb4_0900_bin').replace('uca1400_ai_ci', '0900_ai_ci');
  return Object.fromEntries(
    Object.entries(mariadbColumns)
      .filter(([, { ddl }]) => ddl !== 'uuid' && ddl !== 'inet6')
      .map(([name, column]) => [name, { ...column, ddl: ofMysql(column.ddl) }]),
  );
}

describeOnMysqlFamily('Conditions', (member) => {
  const columns = columnsOf(member);
  let server: MysqlFamilyServer;
  let engine: SqlEngine;
  let dataSource: DataSource;
  const columnOf = (collection: string, name: string): ColumnSchema => {
    const field = dataSource.collections.find((each) => each.name === collection)?.fields.get(name);
    if (field?.kind !== 'column') throw new Error(`There is no column ${name}.`);
    return field;
  };

  beforeAll(async () => {
    server = await member.start();
    const tables = Object.entries(columns).map(
      ([name, { ddl }]) =>
        `create table t_${name} (id int auto_increment primary key, v ${ddl}, key (v${/text/.test(ddl) ? '(20)' : ''}))`,
    );
    const database = await server.createDatabase('conditions', [
      ...tables,
      'create table nodes (id int primary key, name varchar(20), size datetime(6), flag tinyint(1), parent_id int, foreign key (parent_id) references nodes (id))',
    ]);
    const { host, port, user, password } = server;
    engine = await openMariadbEngine({ host, port, user, password, database });
    dataSource = await createDataSourceOn(engine);
    for (const [name, { values }] of Object.entries(columns)) {
      await dataSource.create(
        `t_${name}`,
        [...values, null].map((v) => ({ v })),
        utc,
      );
    }
  });
  afterAll(async () => {
    await dataSource?.close();
    await server?.stop();
  });

  it.each(Object.keys(columns))('reads what was written to %s', async (name) => {
    const records = await dataSource.list(
      { collection: `t_${name}`, projection: ['v'], sort: [{ field: 'id', ascending: true }] },
      utc,
    );
    expect(records.map(({ v }) => v)).toEqual([...(columns[name]?.values ?? []), null]);
  });

  it.each(Object.keys(columns))('finds in %s what the evaluator finds, by every operator', async (name) => {
    const collection = `t_${name}`;
    const column = columnOf(collection, 'v');
    const { values = [], others = [] } = columns[name] ?? {};
    const stored = [...values, null].map((v, index) => ({ id: index + 1, v }));
    const wanted = [...values, ...others];
    for (const operator of column.operators) {
      for (const value of argumentsOf(operator, wanted)) {
        const leaf = { field: 'v', operator, value };
        const holds = leafPredicate(leaf, column, DateTime.utc());
        const found = await dataSource.list(
          { collection, projection: ['id'], where: leaf, sort: [{ field: 'id', ascending: true }] },
          utc,
        );
        const expected = stored.filter(({ v }) => holds(v)).map(({ id }) => id);
        expect({ operator, value, found: found.map(({ id }) => id) }).toEqual({ operator, value, found: expected });
      }
    }
  });

  it.each(['general', 'unicode', 'exact', 'long', 'mood', 'uid'].filter((name) => Object.hasOwn(columns, name)))(
    'sorts %s by code point, nulls first',
    async (name) => {
      const query = { collection: `t_${name}`, projection: ['v'] };
      const up = await dataSource.list({ ...query, sort: [{ field: 'v', ascending: true }] }, utc);
      const down = await dataSource.list({ ...query, sort: [{ field: 'v', ascending: false }] }, utc);
      const expected = [...(columns[name]?.values ?? [])].toSorted((a, b) =>
        Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b))),
      );
      expect(up.map(({ v }) => v)).toEqual([null, ...expected]);
      expect(down.map(({ v }) => v)).toEqual([...expected.toReversed(), null]);
    },
  );

  const indexed = [
    ['general', 'Equal', 'a'],
    ['general', 'In', ['a', 'b']],
    ['general', 'StartsWith', 'ab'],
    ['exact', 'Equal', 'a'],
    ['latin', 'Equal', 'a'],
    ['latin', 'In', ['a']],
    ['uid', 'In', ['1c9b5a4e-0b1c-11ee-be56-0242ac120002']],
    ['whole', 'Equal', 7],
    ['whole', 'In', [1, 7]],
    ['big', 'GreaterThan', '9223372036854775806'],
    ['price', 'In', ['1.5']],
    ['at', 'After', '2024-03-31T00:59:59.000Z'],
    ['at', 'Equal', '2024-03-31T00:59:59.000Z'],
    ['at', 'In', ['2024-03-31T00:59:59.000Z']],
    ['day', 'Equal', '2024-02-29'],
  ] as const;
  it.each(indexed.filter(([name]) => Object.hasOwn(columns, name)))(
    'uses the index of %s for %s',
    async (name, operator, value) => {
      const extra = await server.connect('conditions');
      await extra.query('drop table if exists many');
      await extra.query(`create table many like t_${name}`);
      await extra.query(`insert into many (v) select v from t_${name}`);
      for (let doubling = 0; doubling < 8; doubling++) await extra.query('insert into many (v) select null from many');
      await extra.query('analyze table many');
      const column = columnOf(`t_${name}`, 'v');
      const variant = mariadbDialect.variantOf(operator, value);
      const condition = mariadbDialect.condition({ column, operator, variant, index: 0, reference: sql.id('t0', 'v') });
      const compiled = mariadbDialect.compile(
        sql`explain format=traditional select * from many as t0 where ${condition}`,
      );
      const context = { values: [value], page: { skip: 0, limit: 0 }, now: () => DateTime.utc() };
      const plan = await engine.read(
        compiled.sql,
        compiled.parameters.map((bind) => bind(context)),
        utc,
      );
      await extra.end();
      expect(plan.filter((row) => row['table'] === 't0')).toEqual([expect.objectContaining({ key: 'v' })]);
    },
  );

  it('changes and deletes through relations, also of a table to itself', async () => {
    await dataSource.create(
      'nodes',
      [
        { id: 1, name: 'root' },
        { id: 2, name: 'x', parent_id: 1 },
        { id: 3, name: 'y', parent_id: 2 },
      ],
      utc,
    );
    const write = async (statement: ReturnType<typeof sql>) => {
      const compiled = mariadbDialect.compile(statement);
      return engine.transaction((session) => session.run(compiled.sql, []), utc);
    };
    const { writeStatements } = mariadbDialect;
    const from = sql`nodes as t0 left join nodes as t1 on t1.id = t0.parent_id`;
    const set = [{ column: sql.id('name'), value: sql`'changed'` }];
    expect(await write(writeStatements?.update(from, set, sql` where t1.name = 'root'`) ?? sql``)).toBe(1);
    expect(await write(writeStatements?.delete(from, sql` where t1.name = 'changed'`) ?? sql``)).toBe(1);
    const left = await dataSource.list(
      { collection: 'nodes', projection: ['id', 'name'], sort: [{ field: 'id', ascending: true }] },
      utc,
    );
    expect(left).toEqual([
      { id: 1, name: 'root' },
      { id: 2, name: 'changed' },
    ]);
  });

  it('makes a record of default values', async () => {
    expect(await dataSource.create('t_whole', [{}], utc)).toEqual([{ id: expect.any(Number), v: null }]);
  });
});

function argumentsOf(operator: Operator, wanted: readonly unknown[]): unknown[] {
  switch (operatorArguments[operator]) {
    case 'none':
      return [undefined];
    case 'number':
      return [0, 1, 2];
    case 'list':
      return [[], [null], [...wanted], [...wanted.slice(0, 2), null], ...wanted.map((value) => [value])];
    default:
      return operator === 'Equal' || operator === 'NotEqual' ? [null, ...wanted] : [...wanted];
  }
}
