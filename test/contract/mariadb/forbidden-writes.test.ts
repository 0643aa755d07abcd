import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { VisibleCollection } from '#contracts/visible-schema';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';

describeOnMysqlFamily('What the database forbids', (member) => {
  let server: MysqlFamilyServer;
  beforeAll(async () => {
    server = await member.start();
  });
  afterAll(() => server?.stop());

  it('is refused with 403 and the reason', async () => {
    const database = await server.createDatabase('forbidden', [
      'create table notes (id int primary key, v varchar(9), w varchar(9))',
      "insert into notes values (1, 'a', 'b')",
      "create user reader identified by 'reader'",
      'grant select, update (v) on forbidden.notes to reader',
    ]);
    const { host, port } = server;
    const user = { username: 'reader', password: 'reader' };
    const agent = await startShopAgent(undefined, {
      dataSources: { main: createSqlDataSource({ dialect: member.dialect, host, port, database, ...user }) },
    });
    const send = async (method: string, path: string, attributes?: object) => {
      const body = attributes && { data: { type: 'notes', attributes } };
      const { status, json } = await call(agent, path, { method, ...(body ? { body } : {}) });
      return [status, (json as { errors?: { code: string }[] } | undefined)?.errors?.[0]?.code];
    };
    const forbidden = [403, 'DATABASE_WRITE_FORBIDDEN'];
    expect(await send('POST', '/notes', { id: 2, v: 'x' })).toEqual(forbidden);
    expect((await send('PUT', '/notes/1', { w: 'x' }))[0]).toBe(400);
    expect(await send('DELETE', '/notes/1')).toEqual(forbidden);
    expect((await send('PUT', '/notes/1', { v: 'x' }))[0]).toBe(200);
    const admin = await server.connect();
    await admin.query('set global read_only = on');
    expect(await send('PUT', '/notes/1', { v: 'y' })).toEqual(forbidden);
    await admin.query('set global read_only = off');
    await admin.end();
  });

  /** Somebody with these rights in a database of their own, `app` by name. */
  async function sourceOf(name: string, grants: readonly string[], tables: readonly string[] = []) {
    const database = await server.createDatabase(name, [
      'create table notes (id int primary key, v varchar(9) not null, w varchar(9))',
      'create table parts (a int, b int, note int, primary key (a, b), foreign key (note) references notes (id))',
      'create table secrets (id int primary key)',
      ...tables,
      `create user ${name} identified by 'app'`,
      ...grants,
    ]);
    const { host, port } = server;
    const user = { username: name, password: 'app' };
    return createSqlDataSource({ dialect: member.dialect, host, port, database, ...user });
  }

  /** What each person may write, in short. */
  async function writable(factory: ReturnType<typeof createSqlDataSource>) {
    const source = await factory();
    const rows = source.collections.map(({ name, isWriteDenied, deniedWrites, fields, primaryKey }) => [
      name,
      isWriteDenied ? 'all denied' : (deniedWrites ?? []).join(),
      [...fields.values()]
        .flatMap((field) => (field.kind === 'column' && !field.isReadOnly ? [field] : []))
        .map((field) => (field.writtenBy ? `${field.name} (${field.writtenBy})` : field.name))
        .join(),
      primaryKey.join(),
    ]);
    await source.close();
    return { rows, warnings: source.warnings ?? [] };
  }

  const everything = [
    ['notes', '', 'id,v,w', 'id'],
    ['parts', '', 'a,b,note', 'a,b'],
    ['secrets', '', 'id', 'id'],
  ];

  it('is not offered: of tables, of columns and of a whole database', async () => {
    const columns = await sourceOf('g_columns', [
      'grant select, insert (id, v), update (v) on g_columns.notes to g_columns',
      'grant select (a, note), delete on g_columns.parts to g_columns',
      'grant insert on g_columns.secrets to g_columns',
    ]);
    expect(await writable(columns)).toEqual({
      rows: [
        ['notes', 'delete', 'id (add),v', 'id'],
        ['parts', 'add,edit', '', ''],
      ],
      warnings: expect.arrayContaining([
        '1 table is left out, because the database user may not read it: `g_columns`.`secrets`.',
      ]),
    });
    const reads = await sourceOf('g_reads', ['grant select on `g\\_reads`.* to g_reads']);
    expect((await writable(reads)).rows.map(([, denied]) => denied)).toEqual([
      'all denied',
      'all denied',
      'all denied',
    ]);
    const pattern = await sourceOf('g_pattern', ['grant all on `g_pat%`.* to g_pattern']);
    expect((await writable(pattern)).rows).toEqual(everything);
  });

  it('is not offered: of roles, of everybody and of what is taken away again', async () => {
    const role = await sourceOf('g_role', [
      'create role clerk',
      'grant select, update, delete on g_role.* to clerk',
      'grant clerk to g_role',
      member.name === 'MySQL' ? 'alter user g_role default role clerk' : 'set default role clerk for g_role',
    ]);
    expect((await writable(role)).rows).toEqual([
      ['notes', 'add', 'id (edit),v (edit),w (edit)', 'id'],
      ['parts', 'add', 'a (edit),b (edit),note (edit)', 'a,b'],
      ['secrets', 'add', 'id (edit)', 'id'],
    ]);
    if (member.name === 'MariaDB') {
      const all = await sourceOf('g_public', [
        'grant select, insert on g_public.* to public',
        'grant delete on g_public.notes to public',
      ]);
      expect((await writable(all)).rows.map(([name, denied]) => [name, denied])).toEqual([
        ['notes', 'edit'],
        ['parts', 'edit,delete'],
        ['secrets', 'edit,delete'],
      ]);
      return;
    }
    const admin = await server.connect();
    await admin.query('set global partial_revokes = on');
    onTestFinished(async () => {
      await admin.query('revoke all on *.* from g_taken');
      await admin.query('set global partial_revokes = off');
      await admin.end();
    });
    const taken = await sourceOf('g_taken', [
      'grant select, insert, update, delete on *.* to g_taken',
      'revoke delete, update on g_taken.* from g_taken',
    ]);
    expect((await writable(taken)).rows.map(([name, denied]) => [name, denied])).toEqual([
      ['notes', 'edit,delete'],
      ['parts', 'edit,delete'],
      ['secrets', 'edit,delete'],
    ]);
  });

  it('is not a field of forms and of tools where it cannot be written', async () => {
    const source = await sourceOf('g_forms', [
      'grant select, insert (id, v), update (v, w) on g_forms.notes to g_forms',
    ]);
    const agent = await startShopAgent(undefined, { dataSources: { main: source } });
    const { json } = await call(agent, '/_internal/schema/notes');
    const { fields, rights } = json as VisibleCollection;
    expect(rights).toMatchObject({ add: true, edit: true, delete: false });
    expect(fields.map(({ name, isReadOnly, writtenBy }) => [name, isReadOnly, writtenBy])).toEqual([
      ['id', false, 'add'],
      ['v', false, undefined],
      ['w', false, 'edit'],
    ]);
    const write = (method: string, path: string, attributes: object) =>
      call(agent, path, { method, body: { data: { type: 'notes', attributes } } });
    expect(await write('POST', '/notes', { id: 1, v: 'a', w: 'b' })).toMatchObject({
      status: 400,
      json: { errors: [{ detail: 'The field "w" is read-only.' }] },
    });
    expect((await write('POST', '/notes', { id: 1, v: 'a' })).status).toBe(200);
    expect((await write('PUT', '/notes/1', { id: 2 })).status).toBe(400);
    // A form may send a key that it shows.
    expect((await write('PUT', '/notes/1', { id: 1, v: 'b', w: 'c' })).status).toBe(200);
  });

  it('does not keep a new record from being answered, whoever gives it its key', async () => {
    const source = await sourceOf(
      'g_keys',
      ['grant select, insert (v) on g_keys.counted to g_keys', 'grant select, insert (v) on g_keys.named to g_keys'],
      [
        "create table counted (id int auto_increment primary key, v varchar(9), w varchar(9) default 'own')",
        "create table named (id varchar(9) primary key default 'first', v varchar(9), w varchar(9) default 'own')",
      ],
    );
    const agent = await startShopAgent(undefined, { dataSources: { main: source } });
    const create = async (type: string) => {
      const { json } = await call(agent, `/${type}`, {
        method: 'POST',
        body: { data: { type, attributes: { v: 'x' } } },
      });
      return (json as { data?: { id: string; attributes: object } }).data ?? json;
    };
    expect(await create('counted')).toMatchObject({ id: '1', attributes: { v: 'x', w: 'own' } });
    expect(await create('named')).toMatchObject({ errors: [{ code: 'DATABASE_WRITE_FORBIDDEN' }] });
  });

  it('is said of a server that only reads, but not to those who write there', async () => {
    const source = await sourceOf('g_server', ['grant all on g_server.* to g_server']);
    const admin = await server.connect();
    onTestFinished(() => admin.end());
    const settings = member.name === 'MySQL' ? ['read_only', 'super_read_only'] : ['read_only'];
    for (const setting of settings) {
      await admin.query(`set global ${setting} = on`);
      expect((await writable(source)).warnings).toEqual([expect.stringContaining(`"${setting}" is on.`)]);
    }
    for (const setting of settings.toReversed()) await admin.query(`set global ${setting} = off`);
    expect((await writable(source)).warnings).toEqual([]);
    await admin.query('set global read_only = on');
    await admin.query('grant super on *.* to g_server');
    expect((await writable(source)).warnings).toEqual([]);
    await admin.query('set global read_only = off');
  });
});
