/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * Reserved words, quotes, emoji in names    | data-source suite "takes any name, and any value, for what it is";
 *                                           | postgres/introspection "keeps names as they are", mariadb/introspection
 *                                           | "reads names with spaces, quotes, backslashes, reserved words and symbols"
 * 1,000 tables                              | postgres/introspection "takes the same number of round trips …",
 *                                           | mariadb/introspection "asks five questions however many tables there are"
 * Foreign tables, extension tables          | postgres/introspection "folds partitions into their parent, and takes views, …"
 */
import { expect, it } from 'vitest';
import { isMysqlFamily } from '../data-source/ddl.ts';
import { describeOnEngines, describeOnMysqlFamilyServers, describeOnPostgres } from './engines.ts';
import { context, serve, valuesOf } from './requests.ts';

describeOnPostgres('Names and places', (open) => {
  it('partitions: one collection, through which the records of all of them are read and written', async () => {
    const { dataSource } = await open([
      'create table logs (id int, day date, primary key (id, day)) partition by range (day)',
      "create table logs_2024 partition of logs for values from ('2024-01-01') to ('2025-01-01')",
      "create table logs_2025 partition of logs for values from ('2025-01-01') to ('2026-01-01')",
      "insert into logs values (1, '2024-05-01'), (2, '2025-05-01')",
    ]);
    expect(dataSource.collections.map(({ name }) => name)).toEqual(['logs']);
    const service = serve(dataSource);
    await service.create('logs', { id: 3, day: '2025-06-01' }, context);
    await service.update('logs', [1, '2024-05-01'], { day: '2025-07-01' }, context);
    expect(await valuesOf(service, 'logs', 'day')).toEqual(['2025-05-01', '2025-06-01', '2025-07-01']);
  });

  it('schema filter: the schemas asked for, in order, and no others', async () => {
    const statements = ['a', 'b', 'c'].flatMap((schema) => [
      `create schema ${schema}`,
      `create table ${schema}.t (id int primary key)`,
    ]);
    const { dataSource } = await open(statements, { schemas: ['b', 'a'] });
    expect(dataSource.collections.map(({ name }) => name)).toEqual(['t', 'a.t']);
  });

  it('same table and constraint names in two schemas: each has its own records and relations', async () => {
    const { dataSource } = await open(
      ['public', 'other'].flatMap((schema) => [
        `create schema if not exists ${schema}`,
        `create table ${schema}.users (id int primary key, place text default '${schema}')`,
        `create table ${schema}.tasks (id int primary key, user_id int, constraint fk foreign key (user_id) references ${schema}.users)`,
        `insert into ${schema}.users values (1); insert into ${schema}.tasks values (1, 1)`,
      ]),
      { schemas: ['public', 'other'] },
    );
    const service = serve(dataSource);
    for (const [collection, users, place] of [
      ['tasks', 'users', 'public'],
      ['other.tasks', 'other.users', 'other'],
    ] as const) {
      const fields = dataSource.collections.find(({ name }) => name === collection)?.fields;
      expect(fields?.get('user')).toMatchObject({ kind: 'ManyToOne', foreignCollection: users });
      const [task] = await service.list({ collection, projection: ['user:place'] }, context);
      expect(task?.['user']).toEqual({ id: 1, place });
    }
  });
});

describeOnMysqlFamilyServers('Names and places', (open) => {
  it('same table and constraint names in two databases: each has its own records and relations', async () => {
    const { dataSource } = await open(
      [
        'create database other',
        ...['', 'other.'].flatMap((place) => [
          `create table ${place}users (id int primary key, place varchar(9) default '${place}')`,
          `create table ${place}tasks (id int primary key, user_id int, constraint fk foreign key (user_id) references ${place}users (id))`,
          `insert into ${place}users (id) values (1)`,
          `insert into ${place}tasks values (1, 1)`,
        ]),
      ],
      { schemas: ['other'] },
    );
    const service = serve(dataSource);
    for (const [collection, place] of [
      ['tasks', ''],
      ['other.tasks', 'other.'],
    ] as const) {
      const [task] = await service.list({ collection, projection: ['user:place'] }, context);
      expect(task?.['user']).toEqual({ id: 1, place });
    }
  });
});

describeOnMysqlFamilyServers('Names of two databases', (open) => {
  it('a table called like another with its database: each keeps its own records', async () => {
    const { dataSource } = await open(
      [
        'create database archive',
        'create table archive.tasks (id int primary key)',
        'create table "archive.tasks" (id int primary key, line varchar(9))',
        'insert into archive.tasks values (7)',
        'insert into "archive.tasks" values (1, \'own\')',
      ],
      { schemas: ['archive'] },
    );
    expect(dataSource.collections.map(({ name }) => name).toSorted()).toEqual(['archive.tasks', 'archive.tasks_2']);
    const service = serve(dataSource);
    expect(await valuesOf(service, 'archive.tasks', 'line')).toEqual(['own']);
    expect(await valuesOf(service, 'archive.tasks_2', 'id')).toEqual([7]);
  });
});

describeOnEngines('Names', (open, dialect) => {
  // Names in MariaDB and MySQL end with the basic plane.
  const symbol = isMysqlFamily(dialect) ? '✓' : '🎉';

  it('reserved words, quotes and symbols: requests of every kind reach them', async () => {
    const { dataSource } = await open([
      'create table "stats" (id int primary key)',
      'create table "*" ("constructor" int primary key, "select" varchar(9))',
      `create table "Ord""er '${symbol}" ("group" int primary key, "a b" varchar(9), "star_id" int references "*" ("constructor"))`,
      `insert into "*" values (1, 'x')`,
    ]);
    const service = serve(dataSource);
    const name = `Ord"er '${symbol}`;
    await service.create(name, { group: 1, 'a b': 'new', star_id: 1 }, context);
    await service.update(name, [1], { 'a b': 'old' }, context);
    const where = { field: 'star:select', operator: 'Equal', value: 'x' } as const;
    expect(await valuesOf(service, name, 'a b', where)).toEqual(['old']);
    expect(await service.count({ collection: name, search: 'ol' }, context)).toBe(1);
    expect(await service.delete(name, where, context)).toBe(1);
    expect(await service.count({ collection: 'stats' }, context)).toBe(0);
    await expect(service.count({ collection: 'toString' }, context)).rejects.toMatchObject({
      code: 'REQUEST_NOT_FOUND',
    });
  });

  it('colons, which divide paths: such a column is left out and said so, such a relation called otherwise', async () => {
    const { dataSource } = await open([
      'create table "a:b" (id int primary key, name varchar(9), "x:y" varchar(9))',
      'create table tasks (id int primary key, k int references "a:b" (id))',
      'create table notes ("i:d" int primary key, body varchar(9))',
      `insert into "a:b" values (1, 'x', 'y')`,
      'insert into tasks values (1, 1)',
    ]);
    const fieldsOf = (collection: string) => [
      ...(dataSource.collections.find(({ name }) => name === collection)?.fields.keys() ?? []),
    ];
    expect([fieldsOf('a:b'), fieldsOf('tasks')]).toEqual([
      ['id', 'name', 'tasks'],
      ['id', 'k', 'a_b'],
    ]);
    expect(dataSource.collections.find(({ name }) => name === 'notes')).toMatchObject({ isReadOnly: true });
    expect(dataSource.warnings).toEqual([
      'The column "x:y" of "a:b" is left out: no path can name it, for its colon.',
      'The column "i:d" of "notes" is left out: no path can name it, for its colon.',
    ]);
    const service = serve(dataSource);
    const where = { field: 'a_b:name', operator: 'Equal', value: 'x' } as const;
    expect(await valuesOf(service, 'tasks', 'id', where)).toEqual([1]);
    await service.update('a:b', [1], { name: 'z' }, context);
    expect(await valuesOf(service, 'a:b', 'name')).toEqual(['z']);
  });
});
