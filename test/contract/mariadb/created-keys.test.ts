import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const utc = { timezone: 'UTC' };
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** By table: a type, a value that its columns take, and what they make of it. */
const roundedKeys: Record<string, readonly [string, unknown, unknown]> = {
  padded: ['char(10)', 'ab  ', 'ab'],
  amounts: ['decimal(8,2)', '1.239', '1.24'],
  seconds: ['datetime', '2024-01-01T10:00:00.600Z', '2024-01-01T10:00:00.000Z'],
  times: ['time(1)', '10:00:00.12', '10:00:00.1'],
  hashes: ['binary(4)', new Uint8Array([1, 2]), new Uint8Array([1, 2, 0, 0])],
};

describeOnMysqlFamily('The key of a created record', (member) => {
  const isMysql = member.dialect === 'mysql';
  let server: MysqlFamilyServer;
  let database: string;
  let source: DataSource;
  beforeAll(async () => {
    server = await member.start();
    const isSet = 'for each row set new.id =';
    database = await server.createDatabase('shop', [
      'create table numbered (id bigint unsigned auto_increment primary key, name varchar(20))',
      'create table logs (id int auto_increment primary key, line varchar(20))',
      'create trigger logged after insert on numbered for each row insert into logs (line) values (new.name)',
      'create table renumbered (id int auto_increment primary key, name varchar(20))',
      `create trigger renumbered_id before insert on renumbered ${isSet} 77`,
      "create table literal (tenant varchar(20) default 'it''s', id int auto_increment, name varchar(20), primary key (tenant, id), key (id))",
      'create table words (id varchar(60) primary key default (uuid()), name varchar(20))',
      `create table quoted (id varchar(90) primary key default (concat('it''s "\\\\" ', uuid())), name varchar(20))`,
      "create table bytes (id binary(3) primary key default (unhex('00ff25')), name varchar(20))",
      'create table moments (id datetime(6) primary key default current_timestamp(6), name varchar(20))',
      "create table named (id varchar(30) primary key default (concat(name, '!')), name varchar(20))",
      'create table triggered (id varchar(60) primary key, name varchar(20))',
      `create trigger triggered_id before insert on triggered ${isSet} if(new.id = 'own', new.id, concat('t-', new.name))`,
      "create table defaulted (id varchar(60) primary key default 'none', name varchar(20))",
      `create trigger defaulted_id before insert on defaulted ${isSet} uuid()`,
      "create table loose (id varchar(60) primary key default 'none', name varchar(20)) engine = myisam",
      'create table cards (id varchar(60) primary key default (uuid()), idcard varchar(20), seen varchar(80))',
      "create trigger cards_id before insert on cards for each row set new.idcard = upper(new.idcard), new.seen = concat('', new.id)",
      ...Object.entries(roundedKeys).map(([name, [type]]) => `create table ${name} (id ${type} primary key)`),
      `create trigger loose_id before insert on loose ${isSet} uuid()`,
    ]);
    const { host, port, user: username, password } = server;
    source = await createSqlDataSource({ dialect: member.dialect, host, port, database, username, password })();
  });
  afterAll(async () => {
    await source?.close();
    await server?.stop();
  });

  const create = (collection: string, ...records: readonly object[]) =>
    source.create(collection, records as readonly Record<string, unknown>[], utc);

  async function stored(table: string): Promise<unknown[]> {
    const admin = await server.connect(database);
    try {
      return (await admin.query(`select * from ${table}`))[0] as unknown[];
    } finally {
      await admin.end();
    }
  }

  it('is the number that was counted for it, whatever a trigger counts in other tables', async () => {
    await create('logs', { line: 'a' }, { line: 'b' });
    const created = await create('numbered', { name: 'x' }, { name: 'y' });
    expect(created).toEqual([
      { id: '1', name: 'x' },
      { id: '2', name: 'y' },
    ]);
  });

  it('is the number that a trigger gave instead of the counted one', async () => {
    expect(await create('renumbered', { name: 'x' })).toEqual([{ id: 77, name: 'x' }]);
  });

  it('is a number beyond those of JavaScript', async () => {
    const admin = await server.connect(database);
    await admin.query('alter table numbered auto_increment = 18446744073709551000');
    await admin.end();
    expect(await create('numbered', { name: 'far' })).toEqual([{ id: '18446744073709551000', name: 'far' }]);
  });

  it.each([
    ['a literal beside a counted number', 'literal', { tenant: "it's", id: 1 }],
    ['a function', 'words', { id: expect.stringMatching(uuid) }],
    ['an expression with quotes', 'quoted', { id: expect.stringMatching(/^it's "\\" [0-9a-f-]{36}$/) }],
    ['bytes', 'bytes', { id: new Uint8Array([0, 255, 37]) }],
    ['the present', 'moments', { id: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) }],
  ])('is the default that the database has: %s', async (_what, table, key) => {
    // Another insert on the connection counts a number, which must not be taken for the key.
    const [created] = await create('logs', { line: 'before' }).then(() => create(table, { name: 'x' }));
    expect(created).toMatchObject({ name: 'x' });
    expect({
      ...created,
      id: created?.['id'] instanceof Uint8Array ? new Uint8Array(created['id']) : created?.['id'],
    }).toMatchObject(key);
    expect(await stored(table)).toHaveLength(1);
  });

  it('is what the record gives, also where there is a default', async () => {
    expect(await create('words', { id: 'own', name: 'y' })).toEqual([{ id: 'own', name: 'y' }]);
  });

  it('is known where a trigger reads it, or sets a column with a longer name', async () => {
    const [created] = await create('cards', { idcard: 'a' });
    expect(created).toMatchObject({ id: expect.stringMatching(uuid), idcard: 'A' });
    expect(await stored('cards')).toEqual([created]);
  });

  it.each(Object.entries(roundedKeys))('is what the column keeps of the value: %s', async (table, [, given, kept]) => {
    const [created] = await create(table, { id: given });
    const { id } = created ?? {};
    expect(id instanceof Uint8Array ? new Uint8Array(id) : id).toEqual(kept);
    expect(await stored(table)).toHaveLength(1);
  });

  describe('keys that only the server knows', () => {
    it.each(['named', 'defaulted', 'triggered'])(
      'is answered, or refused before anything is written: %s',
      async (table) => {
        if (!isMysql) {
          const [created] = await create(table, { name: 'x' });
          expect(await stored(table)).toMatchObject([{ id: created?.['id'], name: 'x' }]);
          return;
        }
        await expect(create(table, { name: 'x' })).rejects.toMatchObject({
          code: 'DATABASE_CREATED_KEY_UNKNOWN',
          details: { field: 'id' },
        });
        expect(await stored(table)).toEqual([]);
      },
    );

    it('stays what the record gives where a trigger leaves it', async () => {
      expect(await create('triggered', { id: 'own', name: 'own' })).toEqual([{ id: 'own', name: 'own' }]);
    });

    it('undoes the record whose given key a trigger changes, even where another record has that key', async () => {
      const before = await stored('triggered');
      const admin = await server.connect(database);
      await admin.query("insert into triggered values ('own', 'first') on duplicate key update name = 'first'");
      await admin.query("insert into triggered values ('', 'victim')");
      await admin.end();
      const created = create('triggered', { id: 't-victim', name: 'new' });
      if (!isMysql) {
        expect(await created).toEqual([{ id: 't-new', name: 'new' }]);
        return;
      }
      await expect(created).rejects.toMatchObject({ code: 'DATABASE_CREATED_KEY_UNKNOWN' });
      expect((await stored('triggered')).length).toBe(before.length + 1);
    });

    it('is refused before it is written in a table without transactions', async () => {
      if (!isMysql) {
        expect(await create('loose', { id: 'x', name: 'x' })).toEqual([{ id: expect.stringMatching(uuid), name: 'x' }]);
        return;
      }
      await expect(create('loose', { id: 'x', name: 'x' })).rejects.toMatchObject({
        code: 'DATABASE_CREATED_KEY_UNKNOWN',
      });
      expect(await stored('loose')).toEqual([]);
    });
  });
});
