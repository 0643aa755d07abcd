import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { CollectionSchema, FieldSchema } from '#runtime/query/collection-schema';
import type { ConditionTree } from '#runtime/query/condition-tree';
import type { Operator } from '#runtime/query/operators';
import { temporaryDatabase, temporaryDataSource } from '../helpers/temporary-database.ts';

const script = `
  create table people (
    id integer primary key autoincrement,
    name text not null,
    is_active boolean not null default true,
    profile json,
    boss_id integer references people (id)
  );
  create table "Ørders" (
    id integer primary key,
    ref varchar(20) not null unique,
    person_id integer references People,
    seller_id integer references people,
    total decimal(12,2) not null default 0,
    weight real,
    big bigint,
    state text not null default 'open' check ("state" in ('open', 'it''s')),
    at datetime,
    day date,
    token uuid,
    photo blob,
    label text generated always as (ref || '!') virtual
  );
  create table lines (
    order_id integer not null references "Ørders" (id) on delete cascade,
    sku text not null,
    quantity integer,
    primary key (order_id, sku)
  );
  create table parcels (
    id integer primary key,
    order_id integer,
    sku text,
    foreign key (order_id, sku) references lines (order_id, sku)
  );
  create table passports (id integer primary key, person_id integer not null unique references people);
  create table tags (name text primary key not null);
  create table order_tags (
    order_id integer not null references "Ørders",
    tag text not null references tags,
    primary key (order_id, tag)
  );
  create table log (message text, at timestamp default current_timestamp);
  create view totals as
    select p.id as person_id, p.name, p.is_active, count(*) as n, coalesce(sum(o.total), 0) as total, round(avg(o.weight)) + 1 as w
    from people p left join "Ørders" o on o.person_id = p.id group by p.id;

  insert into people (id, name, is_active, profile, boss_id) values
    (1, 'Zoë ÉCOLE', 1, '{"a":[1]}', null), (2, 'Bob', 0, 'not json', 1), (3, '100%_sure', 1, null, 1);
  insert into "Ørders" (id, ref, person_id, total, big, at, day, weight) values
    (1, 'A-1', 1, 12.5, 9007199254740993, '2024-05-15T10:00:00.000Z', '2024-05-15', 1.5),
    (2, 'a-2', 2, 3, -1, '2024-05-15 21:59:59', '2024-05-14', null),
    (3, 'B*[?', null, 0.1, null, '2024-05-15T23:30:00+02:00', null, 0),
    (4, 'ß', 3, 1234567890.12, null, null, null, 2);
  insert into lines values (1, 'x', 2), (1, 'y', null), (2, 'x', 5);
  insert into parcels values (1, 1, 'x');
`;

const paris = { timezone: 'Europe/Paris' };

function describeField(field: FieldSchema): string {
  if (field.kind !== 'column') return `${field.kind} ${field.foreignCollection}`;
  return `${field.type}${field.isExact ? ' exact' : ''}${field.isNullable ? '?' : ''}${field.isReadOnly ? ' ro' : ''}`;
}

function describeFields(collection: CollectionSchema | undefined): Record<string, string> {
  return Object.fromEntries([...(collection?.fields ?? [])].map(([name, field]) => [name, describeField(field)]));
}

describe('introspection', () => {
  it('maps tables, keys, views and types', async () => {
    const dataSource = await temporaryDataSource(script);
    const named = new Map(dataSource.collections.map((collection) => [collection.name, collection]));
    expect([...named.keys()]).toEqual([
      'people',
      'Ørders',
      'lines',
      'parcels',
      'passports',
      'tags',
      'order_tags',
      'log',
      'totals',
    ]);
    expect(describeFields(named.get('Ørders'))).toEqual({
      id: 'Number',
      ref: 'String',
      person_id: 'Number?',
      seller_id: 'Number?',
      total: 'Number exact',
      weight: 'Number?',
      big: 'Number exact?',
      state: 'Enum',
      at: 'Date?',
      day: 'Dateonly?',
      token: 'Uuid?',
      photo: 'Binary?',
      label: 'String? ro',
      person: 'ManyToOne people',
      seller: 'ManyToOne people',
      lines: 'OneToMany lines',
      order_tags: 'OneToMany order_tags',
      tags: 'ManyToMany tags',
    });
    expect(named.get('Ørders')?.fields.get('state')).toMatchObject({
      enumValues: ['open', "it's"],
      defaultValue: 'open',
    });
    expect(named.get('people')?.fields.get('id')).toMatchObject({ isReadOnly: true, hasDefault: true });
    expect(named.get('people')?.fields.get('is_active')).toMatchObject({ defaultValue: true });
    expect(named.get('lines')?.primaryKey).toEqual(['order_id', 'sku']);
    expect(named.get('log')).toMatchObject({ isReadOnly: true, primaryKey: ['rowid'] });
    expect(named.get('totals')).toMatchObject({ isReadOnly: true, primaryKey: ['person_id'] });
    expect(describeFields(named.get('totals'))).toEqual({
      person_id: 'Number ro',
      name: 'String? ro',
      is_active: 'Boolean? ro',
      n: 'Number? ro',
      total: 'Number? ro',
      w: 'Number? ro',
    });
  });

  it('names relations after their keys, however the key is written', async () => {
    const keys = ['boss_id', 'bossId', 'boss_Id', 'boss Id', 'boss id', 'boss ID', 'BOSS_ID'];
    const source = await temporaryDataSource(`
      create table people (id integer primary key);
      ${keys.map((key, index) => `create table t${index} (id integer primary key, "${key}" integer references people);`).join('\n')}
    `);
    const named = new Map(source.collections.map((collection) => [collection.name, describeFields(collection)]));
    const toOne = keys.map((_, index) =>
      Object.entries(named.get(`t${index}`) ?? {}).filter(([, described]) => described === 'ManyToOne people'),
    );
    expect(toOne).toEqual(keys.map((_, index) => [[index === 6 ? 'BOSS' : 'boss', 'ManyToOne people']]));
  });

  it('names relations after their keys, both ends of a collision the long way', async () => {
    const dataSource = await temporaryDataSource(script);
    const named = new Map(dataSource.collections.map((collection) => [collection.name, describeFields(collection)]));
    expect(named.get('people')).toMatchObject({
      boss: 'ManyToOne people',
      people: 'OneToMany people',
      Ørders_through_Ørders_person_id: 'OneToMany Ørders',
      Ørders_through_Ørders_seller_id: 'OneToMany Ørders',
      passport: 'OneToOne passports',
    });
    expect(named.get('parcels')).toMatchObject({ line: 'ManyToOne lines' });
    expect(named.get('lines')).toMatchObject({ parcels: 'OneToMany parcels' });
    // The column is called "tag" as well.
    expect(named.get('order_tags')).toMatchObject({ tag: 'String', tag_through_tag: 'ManyToOne tags' });
  });

  it('leaves out a view whose table is gone, and says so', async () => {
    const dataSource = await temporaryDataSource(
      'create table a (id integer primary key); create view v as select * from a; create table b (id int primary key); drop table a;',
    );
    expect(dataSource.collections.map((collection) => collection.name)).toEqual(['b']);
    expect(dataSource.warnings).toEqual([expect.stringContaining('"v"')]);
  });

  it('gives another fingerprint when a column comes, none when a record does', async () => {
    const file = await temporaryDatabase(script);
    const dataSource = await createSqlDataSource({ dialect: 'sqlite', storage: file })();
    onTestFinished(() => dataSource.close());
    const before = await dataSource.fingerprint();
    const other = await openSqlite(file);
    other.run("insert into tags values ('new')");
    expect(await dataSource.fingerprint()).toBe(before);
    other.execute('alter table tags add column colour text');
    expect(await dataSource.fingerprint()).not.toBe(before);
    other.close();
  });
});

describe('list', () => {
  it('nests to-one relations, decodes every type and leaves absent relations null', async () => {
    const dataSource = await temporaryDataSource(script);
    const projection = [
      'id',
      'total',
      'big',
      'at',
      'label',
      'person:name',
      'person:is_active',
      'person:profile',
      'person:boss:name',
    ];
    const records = await dataSource.list(
      { collection: 'Ørders', projection, sort: [{ field: 'id', ascending: true }] },
      paris,
    );
    expect(records).toEqual([
      {
        id: 1,
        total: '12.50',
        big: '9007199254740993',
        at: '2024-05-15T10:00:00.000Z',
        label: 'A-1!',
        person: { name: 'Zoë ÉCOLE', is_active: true, profile: { a: [1] }, boss: null },
      },
      {
        id: 2,
        total: '3.00',
        big: '-1',
        at: '2024-05-15T21:59:59.000Z',
        label: 'a-2!',
        person: { name: 'Bob', is_active: false, profile: 'not json', boss: { name: 'Zoë ÉCOLE' } },
      },
      { id: 3, total: '0.10', big: null, at: '2024-05-15T21:30:00.000Z', label: 'B*[?!', person: null },
      {
        id: 4,
        total: '1234567890.12',
        big: null,
        at: null,
        label: 'ß!',
        person: { name: '100%_sure', is_active: true, profile: null, boss: { name: 'Zoë ÉCOLE' } },
      },
    ]);
  });

  it('joins by a composite key', async () => {
    const dataSource = await temporaryDataSource(script);
    expect(await dataSource.list({ collection: 'parcels', projection: ['id', 'line:quantity'] }, paris)).toEqual([
      { id: 1, line: { quantity: 2 } },
    ]);
  });

  it('sorts by relations and pages', async () => {
    const dataSource = await temporaryDataSource(script);
    const sort = [
      { field: 'person:name', ascending: false },
      { field: 'id', ascending: true },
    ];
    const read = async (skip: number, limit: number) =>
      (await dataSource.list({ collection: 'Ørders', projection: ['id'], sort, page: { skip, limit } }, paris)).map(
        (record) => record['id'],
      );
    expect(await read(0, 10)).toEqual([1, 2, 4, 3]);
    expect(await read(1, 2)).toEqual([2, 4]);
    expect(await read(10, 2)).toEqual([]);
  });

  it.each<[string, Operator, unknown, number[]]>([
    ['total', 'Equal', '12.50', [1]],
    ['total', 'Equal', 12.5, [1]],
    ['total', 'In', ['12.5', 3], [1, 2]],
    ['total', 'GreaterThan', '3', [1, 4]],
    ['big', 'Equal', '9007199254740993', [1]],
    ['big', 'Equal', '9007199254740992', []],
    ['big', 'In', ['9007199254740993', '-1'], [1, 2]],
    ['person_id', 'NotEqual', 1, [2, 3, 4]],
    ['person_id', 'NotIn', [1, 2], [3, 4]],
    ['person_id', 'NotIn', [1, null], [2, 4]],
    ['person_id', 'In', [null, 2], [2, 3]],
    ['person_id', 'In', [], []],
    ['person_id', 'NotIn', [], [1, 2, 3, 4]],
    ['person_id', 'Equal', null, [3]],
    ['person_id', 'NotEqual', null, [1, 2, 4]],
    ['person:name', 'Missing', null, [3]],
    ['person:name', 'Contains', 'cole', []],
    ['person:name', 'IContains', 'école', [1]],
    ['person:name', 'NotIContains', 'ÉCOLE', [2, 3, 4]],
    ['person:name', 'Contains', '%_', [4]],
    ['person:name', 'StartsWith', 'B', [2]],
    ['person:name', 'IStartsWith', 'b', [2]],
    ['person:boss:name', 'EndsWith', 'ÉCOLE', [2, 4]],
    ['person:is_active', 'Equal', true, [1, 4]],
    ['person:is_active', 'In', [false], [2]],
    ['ref', 'Contains', '*[?', [3]],
    ['ref', 'StartsWith', 'a', [2]],
    ['ref', 'IStartsWith', 'a', [1, 2]],
    ['ref', 'Like', '_-_', [1, 2]],
    ['ref', 'Like', 'A%', [1]],
    ['ref', 'ILike', 'A%', [1, 2]],
    ['ref', 'ILike', '%[_', [3]],
    ['ref', 'LongerThan', 3, [3]],
    ['ref', 'ShorterThan', 2, [4]],
    ['state', 'Equal', 'open', [1, 2, 3, 4]],
    ['weight', 'Present', null, [1, 3, 4]],
    ['weight', 'LessThanOrEqual', 0, [3]],
    ['at', 'Equal', '2024-05-15T23:59:59+02:00', [2]],
    ['at', 'Before', '2024-05-15T21:30:00Z', [1]],
    ['at', 'After', '2024-05-15T21:29:59.999Z', [2, 3]],
    ['at', 'Past', null, [1, 2, 3]],
    ['at', 'Future', null, []],
    ['at', 'Today', null, []],
    ['day', 'Before', '2024-05-15', [2]],
    ['day', 'Equal', '2024-05-15', [1]],
    ['photo', 'Missing', null, [1, 2, 3, 4]],
  ])('finds by %s %s %j the records %j', async (field, operator, value, expected) => {
    const dataSource = await temporaryDataSource(script);
    const where: ConditionTree = { field, operator, value };
    const sort = [{ field: 'id', ascending: true }];
    const records = await dataSource.list({ collection: 'Ørders', projection: ['id'], where, sort }, paris);
    expect(records.map((record) => record['id'])).toEqual(expected);
    expect(await dataSource.count('Ørders', where, paris)).toBe(expected.length);
  });

  it('binds the values of one shape again for each query', async () => {
    const dataSource = await temporaryDataSource(script);
    const count = (...ids: unknown[]) => dataSource.count('Ørders', { field: 'id', operator: 'In', value: ids }, paris);
    expect([await count(1), await count(1, 2, 3), await count(), await count(null, 4)]).toEqual([1, 3, 0, 1]);
  });

  it('takes days in the zone of the caller', async () => {
    const dataSource = await temporaryDataSource('create table t (id integer primary key, at datetime, day date)');
    const now = new Date();
    await dataSource.create('t', [{ at: now.toISOString(), day: null }], paris);
    for (const timezone of ['Pacific/Kiritimati', 'Pacific/Niue']) {
      const day = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(now);
      await dataSource.update('t', undefined, { day }, paris);
      const today = (field: string) => dataSource.count('t', { field, operator: 'Today' }, { timezone });
      expect([await today('at'), await today('day')]).toEqual([1, 1]);
    }
  });

  it('reads views and tables without a key', async () => {
    const dataSource = await temporaryDataSource(script);
    const where: ConditionTree = { field: 'total', operator: 'GreaterThan', value: 10 };
    expect(
      await dataSource.list({ collection: 'totals', projection: ['name', 'total', 'is_active'], where }, paris),
    ).toEqual([
      { name: 'Zoë ÉCOLE', total: 12.5, is_active: true },
      { name: '100%_sure', total: 1234567890.12, is_active: true },
    ]);
    expect(await dataSource.count('log', undefined, paris)).toBe(0);
  });

  it('cannot be tricked by names: they are quoted, values are bound', async () => {
    const dataSource = await temporaryDataSource(`
      create table "a""b as c" (id integer primary key, "x"";--" text, "__proto__" text, "a.b" text);
      insert into "a""b as c" values (1, 'v', 'p', 'd');
    `);
    const projection = ['x";--', '__proto__', 'a.b'];
    const where: ConditionTree = { field: 'x";--', operator: 'NotEqual', value: `'; drop table "a""b as c"; --` };
    const [record] = await dataSource.list({ collection: 'a"b as c', projection, where }, paris);
    expect(Object.entries(record ?? {})).toEqual([
      ['x";--', 'v'],
      ['__proto__', 'p'],
      ['a.b', 'd'],
    ]);
  });
});

describe('writes', () => {
  it('create with defaults and generated columns filled in', async () => {
    const dataSource = await temporaryDataSource(script);
    const created = await dataSource.create(
      'Ørders',
      [
        {
          ref: 'N-1',
          total: '99.90',
          at: '2024-06-01T12:00:00+02:00',
          big: '9007199254740995',
          photo: new Uint8Array([1, 255]),
        },
        { ref: 'N-2' },
      ],
      paris,
    );
    expect(created).toMatchObject([
      { id: 5, total: '99.90', at: '2024-06-01T10:00:00.000Z', big: '9007199254740995', label: 'N-1!', state: 'open' },
      { id: 6, total: '0.00', at: null, label: 'N-2!' },
    ]);
    expect(created[0]?.['photo']).toEqual(Buffer.from([1, 255]));
    expect(
      await dataSource.create('people', [{ name: 'x', profile: [1, null], is_active: false }], paris),
    ).toMatchObject([{ profile: [1, null], is_active: false }]);
  });

  it('create all records or none, and name the field that is in the way', async () => {
    const dataSource = await temporaryDataSource(script);
    const work = dataSource.create('Ørders', [{ ref: 'new' }, { ref: 'A-1' }], paris);
    await expect(work).rejects.toMatchObject({ code: 'DATABASE_CONSTRAINT_VIOLATED', details: { field: 'ref' } });
    expect(await dataSource.count('Ørders', undefined, paris)).toBe(4);
  });

  it('update and delete by conditions through relations, composite keys included', async () => {
    const dataSource = await temporaryDataSource(script);
    const zoes: ConditionTree = { field: 'Ørder:person:name', operator: 'StartsWith', value: 'Zoë' };
    const relation = dataSource.collections.find(({ name }) => name === 'lines')?.fields;
    const [toOrder] = [...(relation ?? [])].filter(([, field]) => field.kind === 'ManyToOne').map(([name]) => name);
    const where: ConditionTree = { ...zoes, field: `${toOrder}:person:name` };
    expect(await dataSource.update('lines', where, { quantity: 7 }, paris)).toBe(2);
    expect(
      await dataSource.delete(
        'lines',
        { aggregator: 'And', conditions: [where, { field: 'sku', operator: 'Equal', value: 'y' }] },
        paris,
      ),
    ).toBe(1);
    expect(await dataSource.list({ collection: 'lines', projection: ['sku', 'quantity'] }, paris)).toEqual([
      { sku: 'x', quantity: 7 },
      { sku: 'x', quantity: 5 },
    ]);
  });

  it('keep instants of a column in the form its default has', async () => {
    const file = await temporaryDatabase(`
      create table t (id integer primary key, made datetime default current_timestamp, seen datetime);
      insert into t (id, seen) values (1, '2024-01-01T00:00:00.000Z');
    `);
    const dataSource = await createSqlDataSource(`sqlite:${file}`)();
    onTestFinished(() => dataSource.close());
    await dataSource.create('t', [{ made: '2030-01-01T00:00:00.000Z', seen: '2024-02-01T00:00:00Z' }], paris);
    const raw = await openSqlite(file, { isReadOnly: true });
    onTestFinished(() => raw.close());
    expect(raw.all('select made, seen from t where id = 2')).toEqual([
      { made: '2030-01-01 00:00:00.000', seen: '2024-02-01T00:00:00.000Z' },
    ]);
  });
});

it('closes its connections once', async () => {
  const dataSource = await createSqlDataSource(`sqlite:${await temporaryDatabase(script)}`)();
  expect(dataSource.openConnections()).toBe(2);
  await dataSource.close();
  await dataSource.close();
  expect(dataSource.openConnections()).toBe(0);
});

it('refuses everything once it is closed', async () => {
  const dataSource = await temporaryDataSource(script);
  await dataSource.close();
  const closed = { code: 'DATABASE_UNREACHABLE', message: 'The data source has been closed.' };
  await expect(dataSource.count('people', undefined, paris)).rejects.toMatchObject(closed);
  await expect(dataSource.delete('people', undefined, paris)).rejects.toMatchObject(closed);
});

describe('native queries on SQLite', () => {
  const context = { timezone: 'UTC' };

  it('bind values by name', async () => {
    const source = await temporaryDataSource(
      "create table t (id integer primary key, name text); insert into t values (1, 'a'), (2, 'b');",
    );
    expect(await source.nativeQuery?.('select id from t where name = $name;', { name: 'b' }, context)).toEqual([
      { id: 2 },
    ]);
  });

  it.each([
    'delete from t',
    'insert into t values (3, $name) returning id',
    'with x as (select 1) delete from t',
    'select 1; select 2',
    'pragma query_only = off',
    // With two ways to end each comment there were a million million ways to read it.
    `${'/* */'.repeat(40)} pragma query_only = off`,
    "/* select */ attach database 'other.sqlite' as other",
    'selec',
  ])('refuse %s', async (sql) => {
    const source = await temporaryDataSource(
      "create table t (id integer primary key, name text); insert into t values (1, 'a');",
    );
    await expect(source.nativeQuery?.(sql, { name: 'x' }, context)).rejects.toMatchObject({
      code: 'DATABASE_NATIVE_QUERY_REFUSED',
    });
    expect(await source.count('t', undefined, context)).toBe(1);
  });
});

describe('explain on SQLite', () => {
  it('gives the statement and the steps of the database', async () => {
    const source = await temporaryDataSource(
      'create table t (id integer primary key, name text); create index by_name on t(name);',
    );
    const where = { field: 'name', operator: 'Equal', value: 'x' } as const;
    const plan = await source.explain?.({ collection: 't', projection: ['id'], where }, { timezone: 'UTC' });
    expect(plan?.sql).toMatch(/^select .* from "t"/);
    expect(plan?.steps).toEqual([expect.stringContaining('by_name')]);
  });

  it('shows that the index of a foreign key serves a condition on related records', async () => {
    const source = await temporaryDataSource(`
      create table t (id integer primary key);
      create table owners (id integer primary key, t_id integer references t, label text);
      create index by_owner on owners (t_id);
      create table labels (id integer primary key, word text);
      create table t_labels (t_id integer references t, label_id integer references labels, primary key (t_id, label_id));
    `);
    const stepsOf = async (field: string) => {
      const where = { field, operator: 'Equal', value: 'x' } as const;
      const plan = await source.explain?.({ collection: 't', projection: ['id'], where }, { timezone: 'UTC' });
      expect(plan?.sql).toContain('exists (select 1 from');
      return plan?.steps.join('\n');
    };
    expect(await stepsOf('owners:label')).toContain('USING INDEX by_owner (t_id=?)');
    expect(await stepsOf('labels:word')).toMatch(/sqlite_autoindex_t_labels_1 \(t_id=\?/);
  });
});
