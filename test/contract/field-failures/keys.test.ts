/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * Composite primary and foreign keys        | data-source suite "joins by composite keys, which differ in case" and
 *                                           | "finds records through relations, composite keys included";
 *                                           | unit/runtime/records/request/record-service "finds by composite key"
 * Constraint metadata through an ORM        | postgres/introspection "knows keys: …",
 *                                           | mariadb/introspection "reads names with spaces, … composite keys of them"
 */
import { expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { FieldSchema } from '#runtime/query/collection-schema';
import { ConditionTreeFactory } from '#runtime/query/condition-tree-factory';
import { inverseCondition } from '#runtime/query/inverse-condition';
import { isMysqlFamily } from '../data-source/ddl.ts';
import { describeOnEngines, describeOnMysqlFamilyServers, describeOnPostgres, describeOnSqlite } from './engines.ts';
import { context, serve, valuesOf } from './requests.ts';

function relationsOf(dataSource: DataSource, collection: string): Record<string, string> {
  const fields: FieldSchema[] = [
    ...(dataSource.collections.find(({ name }) => name === collection)?.fields.values() ?? []),
  ];
  return Object.fromEntries(
    fields.flatMap((field) =>
      field.kind === 'column' ? [] : [[field.name, `${field.kind} ${field.foreignCollection}`]],
    ),
  );
}

function collectionOf(dataSource: DataSource, name: string) {
  return dataSource.collections.find((collection) => collection.name === name);
}

const nodes = [
  'create table nodes (id int primary key, name varchar(9), parent_id int references nodes (id))',
  "insert into nodes values (1, 'root', null)",
  "insert into nodes values (2, 'leaf', 1), (3, 'twig', 1)",
];

describeOnEngines('Keys', (open, dialect) => {
  it('alias equals the foreign key column: the relation takes another name, the same at every start', async () => {
    const database = await open([
      'create table users (id int primary key, name varchar(9))',
      'create table tasks (id int primary key, "user" int references users (id), user_id int references users (id))',
      "insert into users values (1, 'Ada'), (2, 'Bob')",
      'insert into tasks values (1, 1, 2)',
    ]);
    const names = relationsOf(database.dataSource, 'tasks');
    expect(Object.keys(names)).toHaveLength(2);
    expect(Object.keys(names)).not.toContain('user');
    expect(relationsOf(await database.reopen(), 'tasks')).toEqual(names);
    const [task] = await serve(database.dataSource).list({ collection: 'tasks' }, context);
    expect(task).toMatchObject({ user: 1, user_id: 2 });
    expect(Object.keys(names).map((name) => task?.[name])).toEqual([
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Bob' },
    ]);
  });

  it('composite key declared in another order than its columns: it has the order of the table, its references their own', async () => {
    const { dataSource } = await open([
      'create table places (floor int, room int, name varchar(9), primary key (room, floor))',
      'create table desks (id int primary key, r int, f int, foreign key (r, f) references places (room, floor))',
      "insert into places values (1, 2, 'attic')",
      'insert into desks values (1, 2, 1)',
    ]);
    expect(collectionOf(dataSource, 'places')?.primaryKey).toEqual(['floor', 'room']);
    const where = { field: 'place:name', operator: 'Equal', value: 'attic' } as const;
    expect(await valuesOf(serve(dataSource), 'desks', 'id', where)).toEqual([1]);
  });

  it('thousands of records chosen by composite keys: all of them are found, and no other', async () => {
    const { dataSource } = await open(['create table seats (line int, place int, primary key (line, place))']);
    const seats = Array.from({ length: 2500 }, (_, index) => ({ line: index, place: index % 7 }));
    await dataSource.create('seats', seats, { timezone: 'UTC' });
    const ids = seats.slice(1).map(({ line, place }) => [line, place]);
    const seat = collectionOf(dataSource, 'seats');
    if (!seat) throw new Error('There is no collection of seats.');
    const chosen = ConditionTreeFactory.matchIds(seat, ids);
    const service = serve(dataSource);
    expect(await service.count({ collection: 'seats', where: chosen }, context)).toBe(2499);
    expect(await valuesOf(service, 'seats', 'line', inverseCondition(chosen))).toEqual([0]);
    expect(await service.delete('seats', chosen, context)).toBe(2499);
  });

  it('tables without a primary key: read-only until one is added', async () => {
    const database = await open([
      'create table logs (id int not null, line varchar(9))',
      "insert into logs values (7, 'x')",
    ]);
    const before = serve(database.dataSource);
    expect(await valuesOf(before, 'logs', 'line')).toEqual(['x']);
    expect(collectionOf(database.dataSource, 'logs')).toMatchObject({ isReadOnly: true, primaryKey: ['id'] });
    await expect(before.create('logs', { id: 8, line: 'y' }, context)).rejects.toMatchObject({
      code: 'REQUEST_UNPROCESSABLE',
    });
    const addKey =
      dialect === 'sqlite'
        ? ['drop table logs', 'create table logs (id int not null primary key, line varchar(9))']
        : ['alter table logs add primary key (id)'];
    await database.execute(...addKey);
    const after = await database.reopen();
    expect(collectionOf(after, 'logs')).toMatchObject({ isReadOnly: false, primaryKey: ['id'] });
    expect(await serve(after).create('logs', { id: 8, line: 'y' }, context)).toEqual({ id: 8, line: 'y' });
  });

  it('primary key renamed: relations stay', async () => {
    const database = await open(nodes);
    const relations = relationsOf(database.dataSource, 'nodes');
    await database.execute('alter table nodes rename column id to "key"');
    const after = await database.reopen();
    expect(relationsOf(after, 'nodes')).toEqual(relations);
    const where = { field: 'parent:name', operator: 'Equal', value: 'root' } as const;
    expect(await valuesOf(serve(after), 'nodes', 'key', where)).toEqual([2, 3]);
  });

  it('self reference: two named relations, read one step deep', async () => {
    const { dataSource } = await open(nodes);
    expect(relationsOf(dataSource, 'nodes')).toEqual({ parent: 'ManyToOne nodes', nodes: 'OneToMany nodes' });
    expect(await serve(dataSource).get('nodes', [2], undefined, context)).toEqual({
      id: 2,
      name: 'leaf',
      parent_id: 1,
      parent: { id: 1, name: 'root', parent_id: null },
    });
  });

  it('circular foreign keys: both sides have their relations and can be filled in turn', async () => {
    const { dataSource } = await open([
      'create table teams (id int primary key, lead_id int)',
      'create table people (id int primary key, team_id int references teams (id))',
      ...(dialect === 'sqlite'
        ? ['drop table teams', 'create table teams (id int primary key, lead_id int references people (id))']
        : ['alter table teams add foreign key (lead_id) references people (id)']),
    ]);
    expect(relationsOf(dataSource, 'teams')).toEqual({ lead: 'ManyToOne people', people: 'OneToMany people' });
    const service = serve(dataSource);
    await expect(service.create('teams', { id: 1, lead_id: 5 }, context)).rejects.toMatchObject({
      code: 'DATABASE_CONSTRAINT_VIOLATED',
    });
    await service.create('teams', { id: 1 }, context);
    await service.create('people', { id: 5, team_id: 1 }, context);
    await service.update('teams', [1], { lead_id: 5 }, context);
    expect(
      await valuesOf(service, 'people', 'id', { field: 'team:lead:team_id', operator: 'Equal', value: 1 }),
    ).toEqual([5]);
  });

  it('foreign key whose types differ: numbers of another width still lead to their records', async () => {
    const type = isMysqlFamily(dialect) ? 'bigint' : 'int';
    const { dataSource } = await open([
      'create table users (id bigint primary key, name varchar(9))',
      `create table tasks (id int primary key, user_id ${type} references users (id))`,
      "insert into users values (1, 'Ada')",
      'insert into tasks values (1, 1), (2, null)',
    ]);
    const where = { field: 'user:name', operator: 'Equal', value: 'Ada' } as const;
    expect(await valuesOf(serve(dataSource), 'tasks', 'id', where)).toEqual([1]);
  });

  it('views: read, never written, related to nothing that they do not declare', async () => {
    const { dataSource } = await open([
      'create table users (id int primary key, name varchar(9), boss_id int)',
      "insert into users values (1, 'Ada', null), (2, 'Bob', 1)",
      'create view staff as select id, name, boss_id from users',
      ...(dialect === 'postgres' ? ['create materialized view frozen as select id, name, boss_id from users'] : []),
    ]);
    const service = serve(dataSource);
    for (const view of dialect === 'postgres' ? ['staff', 'frozen'] : ['staff']) {
      expect(collectionOf(dataSource, view)?.isReadOnly).toBe(true);
      expect(relationsOf(dataSource, view)).toEqual({});
      expect(await service.get(view, [2], undefined, context)).toEqual({ id: 2, name: 'Bob', boss_id: 1 });
      for (const write of [
        service.create(view, { id: 3 }, context),
        service.update(view, [2], { name: 'x' }, context),
        service.delete(view, undefined, context),
      ]) {
        await expect(write).rejects.toMatchObject({ code: 'REQUEST_UNPROCESSABLE' });
      }
    }
    expect(await valuesOf(service, 'users', 'name')).toEqual(['Ada', 'Bob']);
  });

  it('key of bytes: records are found and changed by it', async () => {
    const type = { sqlite: 'blob', postgres: 'bytea', mariadb: 'binary(3)', mysql: 'binary(3)' }[dialect];
    const { dataSource } = await open([`create table t (id ${type} primary key not null, name varchar(9))`]);
    const service = serve(dataSource);
    for (const id of ['00ff25', '00ff00', 'e9e9e9']) await service.create('t', { id, name: id }, context);
    expect(await service.get('t', ['00ff25'], undefined, context)).toEqual({ id: '00ff25', name: '00ff25' });
    expect(await service.update('t', ['00FF00'], { name: 'x' }, context)).toEqual({ id: '00ff00', name: 'x' });
    await expect(service.get('t', ['00ff01'], undefined, context)).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    expect(await valuesOf(service, 't', 'name')).toEqual(['00ff25', 'e9e9e9', 'x']);
  });
});

describeOnSqlite('Keys', (open) => {
  it('foreign key whose types cannot be equal: no relation, a warning, and a start', async () => {
    const { dataSource } = await open([
      'create table users (id int primary key, name text)',
      'create table tasks (id int primary key, user_id blob references users (id), gone_id int references nowhere (id))',
    ]);
    expect(relationsOf(dataSource, 'tasks')).toEqual({});
    expect(dataSource.warnings).toEqual([expect.stringContaining('user_id'), expect.stringContaining('nowhere')]);
    expect(await serve(dataSource).count({ collection: 'tasks' }, context)).toBe(0);
  });

  it('foreign key without a type, or a text to a UUID: a relation', async () => {
    const { dataSource } = await open([
      'create table users (id integer primary key, code uuid unique)',
      'create table tasks (id int primary key, user_id references users, user_code text references users (code))',
      "insert into users values (1, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')",
      "insert into tasks values (1, 1, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')",
    ]);
    const names = Object.keys(relationsOf(dataSource, 'tasks'));
    expect(names).toHaveLength(2);
    const [task] = await serve(dataSource).list({ collection: 'tasks' }, context);
    for (const name of names) expect(task?.[name]).toMatchObject({ id: 1 });
    expect(dataSource.warnings).toEqual([]);
  });
});

for (const [describeOn, instant] of [
  [describeOnPostgres, 'timestamp'],
  [describeOnMysqlFamilyServers, 'datetime(6)'],
] as const) {
  describeOn('Instants with microseconds', (open) => {
    const script = [
      `create table readings (device int, at ${instant}, taken ${instant}, clock time(6), primary key (device, at))`,
      `insert into readings values (1, '2024-01-01 10:00:00.123456', '2024-01-01 10:00:00.5', '10:00:00.000456'),
        (1, '2024-01-01 10:00:00.123789', '2024-01-01 10:00:00.500001', '10:00:00.000456')`,
    ];

    it('a key has them all, and finds its record', async () => {
      const { dataSource } = await open(script);
      const service = serve(dataSource);
      const keys = ['2024-01-01T10:00:00.123456Z', '2024-01-01T10:00:00.123789Z'];
      expect(await valuesOf(service, 'readings', 'at')).toEqual(keys);
      await service.update('readings', [1, keys[1]], { taken: '2025-01-01T00:00:00Z' }, context);
      const taken = await valuesOf(service, 'readings', 'taken');
      expect(taken).toEqual(['2024-01-01T10:00:00.500Z', '2025-01-01T00:00:00.000Z']);
    });

    it('groups are those of what is shown: instants to the millisecond, except for keys, and whole times', async () => {
      const { dataSource } = await open(script);
      const groupsOf = async (field: string) => {
        const aggregation = { operation: 'Count', groups: [{ field }] } as const;
        const rows = await dataSource.aggregate({ collection: 'readings', aggregation }, { timezone: 'UTC' });
        return rows.map(({ value, group }) => [group[field], value]);
      };
      expect(await groupsOf('taken')).toEqual([['2024-01-01T10:00:00.500Z', 2]]);
      expect(await groupsOf('clock')).toEqual([['10:00:00.000456', 2]]);
      expect(await groupsOf('at')).toEqual([
        ['2024-01-01T10:00:00.123456Z', 1],
        ['2024-01-01T10:00:00.123789Z', 1],
      ]);
    });
  });
}
