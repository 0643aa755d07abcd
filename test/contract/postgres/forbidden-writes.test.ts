import { beforeAll, describe, expect, it } from 'vitest';
import type { VisibleCollection } from '#contracts/visible-schema';
import { openPostgresEngine } from '#runtime/data-sources/postgres/open-postgres-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import { mcpCaller } from '../../helpers/mcp-client.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';

const server = usePostgresServer();

const script = `
  create role app login password 'app'; create role reader login password 'reader';
  create table notes (id int primary key, owner text default 'me', v text check (v <> 'bad'));
  insert into notes values (1, 'me', 'mine'), (2, 'other', 'hidden');
  alter table notes enable row level security;
  create policy mine on notes to app using (owner = 'me') with check (owner = 'me');
  create table only_read (id int primary key, v text); insert into only_read values (1, 'a');
  create table only_added (id int primary key, v text, w text); insert into only_added values (1, 'a');
  create table ruled (id int primary key, v text); insert into ruled values (1, 'a');
  create rule kept as on insert to ruled do instead nothing; create rule same as on update to ruled do instead nothing;
  create rule stays as on delete to ruled do instead nothing;
  create table mixed (id int primary key, v text, w text not null default 'w', x text);
  grant select, insert (id, v), update (v, w) on mixed to app;
  create table hidden_1 (id int); create table hidden_2 (id int);
  grant all on notes, ruled to app; grant select on only_read to app; grant select, insert (id, v) on only_added to app;
  grant all on all tables in schema public to reader;
  alter role reader set default_transaction_read_only = on;`;

type Agent = Awaited<ReturnType<typeof startShopAgent>>;

describe('What the database forbids', () => {
  let database: string;
  beforeAll(async () => {
    database = await server.createDatabase(script);
  });

  const open = async (user: string) =>
    createDataSourceOn(await openPostgresEngine({ ...server.parameters(database), user, password: user }));
  const start = (user: string): Promise<Agent> =>
    startShopAgent(undefined, { dataSources: { main: () => open(user) } });

  const send = async (agent: Agent, method: string, path: string, attributes?: object) => {
    const [, type = '', id] = path.split('/');
    const body = attributes && { data: { type, ...(id ? { id } : {}), attributes } };
    const { status, json: answer } = await call(agent, path, { method, ...(body ? { body } : {}) });
    const [error] = (answer as { errors?: { code: string; detail: string }[] } | undefined)?.errors ?? [];
    return [status, error?.code, error?.detail];
  };

  it('is refused with the reason, never with 5xx', async () => {
    const agent = await start('app');
    const policy = expect.stringContaining('A row-level policy of the database');
    expect(await send(agent, 'POST', '/notes', { id: 3, owner: 'other', v: 'x' })).toEqual([
      403,
      'DATABASE_WRITE_FORBIDDEN',
      policy,
    ]);
    expect(await send(agent, 'PUT', '/notes/1', { owner: 'other' })).toEqual([403, 'DATABASE_WRITE_FORBIDDEN', policy]);
    expect(await send(agent, 'POST', '/notes', { id: 3, v: 'bad' })).toEqual([
      400,
      'DATABASE_CONSTRAINT_VIOLATED',
      expect.any(String),
    ]);
    // A row that the policy hides is not there.
    expect((await send(agent, 'PUT', '/notes/2', { v: 'x' }))[0]).toBe(200);
    expect(await server.execute(database, 'select v from notes where id = 2')).toEqual([{ v: 'hidden' }]);
    expect(await send(agent, 'PUT', '/only_read/1', { v: 'z' })).toEqual([
      403,
      'DATABASE_WRITE_FORBIDDEN',
      expect.any(String),
    ]);
    expect(await send(agent, 'DELETE', '/only_read/1')).toEqual([403, 'DATABASE_WRITE_FORBIDDEN', expect.any(String)]);
    expect((await send(agent, 'POST', '/only_added', { id: 2, v: 'z' }))[0]).toBe(200);
    expect(await send(agent, 'PUT', '/only_added/1', { v: 'z' })).toEqual([
      403,
      'DATABASE_WRITE_FORBIDDEN',
      expect.any(String),
    ]);
    expect((await send(agent, 'POST', '/only_added', { id: 3, w: 'z' }))[0]).toBe(400);
    const rule = expect.stringContaining('A rule of the database');
    expect(await send(agent, 'POST', '/ruled', { id: 2, v: 'z' })).toEqual([403, 'DATABASE_WRITE_FORBIDDEN', rule]);
    expect(await send(agent, 'PUT', '/ruled/1', { v: 'z' })).toEqual([403, 'DATABASE_WRITE_FORBIDDEN', rule]);
    expect((await send(agent, 'DELETE', '/ruled/1'))[0]).toBeLessThan(500);
  });

  it('is refused in a session that may only read', async () => {
    const agent = await start('reader');
    const onlyReads = expect.stringContaining('The database may only be read at the moment');
    expect(await send(agent, 'PUT', '/only_read/1', { v: 'z' })).toEqual([403, 'DATABASE_WRITE_FORBIDDEN', onlyReads]);
    expect(await send(agent, 'POST', '/only_read', { id: 2, v: 'z' })).toEqual([
      403,
      'DATABASE_WRITE_FORBIDDEN',
      onlyReads,
    ]);
    expect(await send(agent, 'DELETE', '/only_read/1')).toEqual([403, 'DATABASE_WRITE_FORBIDDEN', onlyReads]);
  });

  it('is not offered, and tables that cannot be read are one warning', async () => {
    const source = await open('app');
    const writable = source.collections.map(({ name, isWriteDenied, deniedWrites = [], fields }) => [
      name,
      isWriteDenied ? 'all denied' : deniedWrites.join(),
      [...fields.values()]
        .flatMap((field) => (field.kind === 'column' && !field.isReadOnly ? [field] : []))
        .map((field) => (field.writtenBy ? `${field.name} (${field.writtenBy})` : field.name))
        .join(),
    ]);
    expect(writable).toEqual([
      ['mixed', 'delete', 'id (add),v,w (edit)'],
      ['notes', '', 'id,owner,v'],
      ['only_added', 'edit,delete', 'id (add),v (add)'],
      ['only_read', 'all denied', ''],
      ['ruled', '', 'id,v'],
    ]);
    expect(source.warnings).toEqual([
      '2 tables are left out, because the database user may not read them: "public"."hidden_1", "public"."hidden_2".',
    ]);
    await source.close();
    const reader = await open('reader');
    expect(reader.warnings).toEqual([
      'The database only reads at the moment, and refuses every write: "default_transaction_read_only" is on.',
    ]);
    await reader.close();
  });

  it('shows a field that rows may leave null and nobody writes null to any more as nullable and required', async () => {
    const created = await server.createDatabase(`
      create table t (id int primary key, a int); insert into t values (1, null);
      alter table t add constraint a_there not null a not valid;`);
    const main = async () => createDataSourceOn(await openPostgresEngine(server.parameters(created)));
    const agent = await startShopAgent(undefined, { dataSources: { main } });
    const { json } = await call(agent, '/_internal/schema/t');
    expect((json as VisibleCollection).fields[1]).toMatchObject({ name: 'a', isNullable: true, isRequired: true });
    const callTool = await mcpCaller(agent);
    const { structured } = await callTool('describeCollection', { collectionName: 't' });
    expect((structured as { fields: object[] }).fields[1]).toMatchObject({ name: 'a', isRequired: true });
    expect((await send(agent, 'POST', '/t', { id: 2 }))[0]).toBe(400);
  });

  it('is not a field of forms and of tools in the way in which it cannot be written', async () => {
    const agent = await start('app');
    const { json } = await call(agent, '/_internal/schema/mixed');
    const { fields, rights } = json as VisibleCollection;
    expect(rights).toMatchObject({ add: true, edit: true, delete: false });
    const ways = ['id add', 'v', 'w edit', 'x read-only'];
    expect(
      fields.map(({ name, isReadOnly, writtenBy = '' }) => `${name} ${isReadOnly ? 'read-only' : writtenBy}`.trim()),
    ).toEqual(ways);
    const callTool = await mcpCaller(agent);
    const { structured } = await callTool('describeCollection', { collectionName: 'mixed' });
    const { fields: described, deniedWrites } = structured as {
      fields: { name: string; isReadOnly?: true; writtenBy?: string }[];
      deniedWrites: string[];
    };
    expect(deniedWrites).toEqual(['delete']);
    expect(
      described.map(({ name, isReadOnly, writtenBy = '' }) => `${name} ${isReadOnly ? 'read-only' : writtenBy}`.trim()),
    ).toEqual(ways);
    expect((await send(agent, 'POST', '/mixed', { id: 1, v: 'a', w: 'b' }))[0]).toBe(400);
    expect((await send(agent, 'POST', '/mixed', { id: 1, v: 'a' }))[0]).toBe(200);
    expect((await send(agent, 'PUT', '/mixed/1', { id: 2 }))[0]).toBe(400);
    expect((await send(agent, 'PUT', '/mixed/1', { id: 1, v: 'b', w: 'c' }))[0]).toBe(200);
    expect(await server.execute(database, 'select id, v, w from mixed')).toEqual([{ id: 1, v: 'b', w: 'c' }]);
    expect(await send(agent, 'DELETE', '/mixed/1')).toEqual([
      403,
      'DATABASE_WRITE_FORBIDDEN',
      'The user of the database may not delete records of "mixed". Nothing was changed.',
    ]);
  });
});
