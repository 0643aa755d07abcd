/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * A trigger that moves or drops rows        | "a trigger that …"
 * A trigger that changes keys               | "a trigger that changes the key …"
 * A trigger that updates in place of inserts | "a trigger that changes another row in the place of a new one …"
 * More new rows than one condition names    | "a trigger beside thousands of new rows …"
 */
import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createRecordService } from '#runtime/records/create-record-service';
import { everythingAllowed } from '../../helpers/call-context.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';
import { describeOnMysqlFamilyServers, describeOnPostgres, describeOnSqlite } from './engines.ts';
import { context, serve, valuesOf } from './requests.ts';

const dropped = { code: 'DATABASE_WRITE_DROPPED' };

/** A function of PostgreSQL and the trigger on `table` that calls it. */
const trigger = (table: string, when: string, body: string) => [
  `create function ${table}_code() returns trigger language plpgsql as $$ begin ${body} end $$`,
  `create trigger t ${when} on ${table} for each row execute function ${table}_code()`,
];

/** Creates records over HTTP: the status, with the attributes of the answer or the code of its error. */
async function creator(dataSource: DataSource) {
  const agent = await startShopAgent(undefined, { dataSources: { main: async () => dataSource } });
  return async (type: string, attributes: object) => {
    const { status, json } = await call(agent, `/${type}`, { method: 'POST', body: { data: { type, attributes } } });
    const { data, errors } = json as { data?: { attributes: object }; errors?: { code: string }[] };
    return [status, data?.attributes ?? errors?.[0]?.code];
  };
}

/** A service of `dataSource` whose hook before new `jobs` creates a record of `frozen`, and catches the refusal. */
async function serveCatching(dataSource: DataSource) {
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('jobs', (collection) =>
    collection.addHook('Before', 'Create', async ({ dataSource: stores }) => {
      await stores
        .getCollection('frozen')
        .create([{ v: 'new' }])
        .catch(() => undefined);
    }),
  );
  return serve(dataSource, {}, await collector.finish());
}

describeOnPostgres('Triggers', (open) => {
  it('code that catches the refusal of a new record: nothing of the request is kept', async () => {
    const { dataSource } = await open([
      'create table frozen (id serial primary key, v text)',
      'create table tries (v text primary key)',
      'create table jobs (id int primary key)',
      ...trigger('frozen', 'before insert', 'insert into tries values (new.v); return null;'),
    ]);
    const service = await serveCatching(dataSource);
    await expect(service.create('jobs', { id: 1 }, context)).rejects.toMatchObject(dropped);
    expect(await valuesOf(service, 'jobs', 'id')).toEqual([]);
    expect(await valuesOf(service, 'tries', 'v')).toEqual([]);
  });

  it('a trigger that changes another row in the place of a new one: the answer is that row, or nothing is written', async () => {
    const upsert = (table: string) =>
      `update ${table} set n = ${table}.n + new.n where code = new.code; if found then return null; end if; return new;`;
    const { dataSource } = await open([
      'create table stock (code text primary key, n int)',
      'create table tallies (id serial primary key, code text unique, n int)',
      "insert into stock values ('a', 1)",
      "insert into tallies (code, n) values ('a', 1)",
      ...trigger('stock', 'before insert', upsert('stock')),
      ...trigger('tallies', 'before insert', upsert('tallies')),
    ]);
    const service = serve(dataSource);
    const create = await creator(dataSource);
    expect(await create('stock', { code: 'a', n: 2 })).toEqual([200, { code: 'a', n: 3 }]);
    expect(await create('stock', { code: 'b', n: 2 })).toEqual([200, { code: 'b', n: 2 }]);
    // The number that the sequence gave is the id of no row.
    expect(await create('tallies', { code: 'a', n: 2 })).toEqual([400, dropped.code]);
    expect(await valuesOf(service, 'stock', 'n')).toEqual([2, 3]);
    expect(await valuesOf(service, 'tallies', 'n')).toEqual([1]);
  });

  it('a trigger that changes the row of its own update: the update is refused in the words of the database', async () => {
    const { dataSource } = await open([
      'create table stock (code text primary key, n int)',
      "insert into stock values ('a', 1)",
      ...trigger(
        'stock',
        'before update',
        'if pg_trigger_depth() = 1 then update stock set n = 9 where code = new.code; end if; return new;',
      ),
    ]);
    const service = serve(dataSource);
    await expect(service.update('stock', ['a'], { n: 2 }, context)).rejects.toMatchObject({
      code: 'DATABASE_RULE_REFUSED',
    });
    expect(await valuesOf(service, 'stock', 'n')).toEqual([1]);
  });

  it('a trigger that moves a new row to a child table: the answer is the row', async () => {
    const { dataSource } = await open([
      'create table logs (id serial primary key, line text)',
      'create table old_logs (primary key (id)) inherits (logs)',
      ...trigger(
        'logs',
        'before insert',
        'begin insert into old_logs values (new.*); exception when unique_violation then null; end; return null;',
      ),
    ]);
    const service = serve(dataSource);
    expect(await service.create('logs', { line: 'a' }, context)).toEqual({ id: 1, line: 'a' });
    expect(await service.create('logs', { line: 'b' }, context)).toEqual({ id: 2, line: 'b' });
    expect(await valuesOf(service, 'old_logs', 'line')).toEqual(['a', 'b']);
  });

  it('a trigger that moves a new row to where its key is not known: nothing is written', async () => {
    const { dataSource } = await open([
      'create table logs (id uuid primary key default gen_random_uuid(), line text)',
      'create table old_logs (primary key (id)) inherits (logs)',
      'create table elsewhere (line text)',
      ...trigger(
        'logs',
        'before insert',
        'insert into old_logs values (new.*); insert into elsewhere values (new.line); return null;',
      ),
    ]);
    const service = serve(dataSource);
    await expect(service.create('logs', { line: 'a' }, context)).rejects.toMatchObject({
      ...dropped,
      nextSteps: expect.arrayContaining([expect.stringMatching(/key/)]),
    });
    expect(await valuesOf(service, 'elsewhere', 'line')).toEqual([]);
    const id = '11111111-1111-4111-8111-111111111111';
    expect(await service.create('logs', { id, line: 'a' }, context)).toEqual({ id, line: 'a' });
  });

  it('a trigger that drops what is written: each write says so, and answers with no other record', async () => {
    const { dataSource } = await open([
      'create table frozen (id serial primary key, v text)',
      "insert into frozen values (1, 'old'), (2, 'old')",
      ...trigger(
        'frozen',
        'before insert or update or delete',
        "if new.v is distinct from 'open' then return null; end if; return new;",
      ),
    ]);
    const service = serve(dataSource);
    await expect(service.create('frozen', { v: 'new' }, context)).rejects.toMatchObject(dropped);
    await expect(service.update('frozen', [1], { v: 'new' }, context)).rejects.toMatchObject(dropped);
    const both = { field: 'id', operator: 'In', value: [1, 2] } as const;
    await expect(service.delete('frozen', both, context)).rejects.toMatchObject(dropped);
    await expect(service.update('frozen', [1], { v: 'new' }, context, { v: 'old' })).rejects.toMatchObject(dropped);
    expect(await service.update('frozen', [1], { v: 'open' }, context)).toEqual({ id: 1, v: 'open' });
    expect(await valuesOf(service, 'frozen', 'v')).toEqual(['old', 'open']);
  });

  it('a trigger that carries out an update itself: the answer is the record as it is then', async () => {
    const { dataSource } = await open([
      'create table days (id int primary key, day date)',
      'create table past_days () inherits (days)',
      "insert into days values (1, '2030-01-01')",
      ...trigger(
        'days',
        'before update',
        'delete from only days where id = old.id; insert into past_days values (new.*); return null;',
      ),
    ]);
    const service = serve(dataSource);
    expect(await service.update('days', [1], { day: '2020-01-01' }, context)).toEqual({ id: 1, day: '2020-01-01' });
    expect(await valuesOf(service, 'past_days', 'id')).toEqual([1]);
  });

  it('a trigger or a rule that marks a row in the place of its deletion: the record is deleted by its mark', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, gone boolean)',
      'create table r (id int primary key, gone boolean)',
      'insert into t values (1, false), (2, false), (3, false)',
      'insert into r values (1, false)',
      ...trigger('t', 'before delete', 'update t set gone = true where id = old.id and id < 3; return null;'),
      'create rule mark as on delete to r do instead update r set gone = true where id = old.id',
    ]);
    const service = serve(dataSource);
    const ids = (...value: number[]) => ({ field: 'id', operator: 'In', value }) as const;
    expect(await service.delete('t', ids(1), context)).toBe(1);
    expect(await service.delete('t', ids(1, 2, 9), context).catch(() => 'refused')).toBe('refused');
    expect(await service.delete('t', ids(2), context)).toBe(1);
    await expect(service.delete('t', ids(3), context)).rejects.toMatchObject(dropped);
    expect(await valuesOf(service, 't', 'gone')).toEqual([false, true, true]);
    expect(await service.delete('r', ids(1), context)).toBe(1);
  });

  it('a trigger that changes the key: the record is answered under its new key', async () => {
    const { dataSource } = await open([
      'create table codes (code text primary key)',
      "insert into codes values ('ABC')",
      ...trigger('codes', 'before insert or update', 'new.code := upper(new.code); return new;'),
    ]);
    const service = serve(dataSource);
    expect(await service.create('codes', { code: 'def' }, context)).toEqual({ code: 'DEF' });
    expect(await service.update('codes', ['ABC'], { code: 'xyz' }, context)).toEqual({ code: 'XYZ' });
  });

  it('a trigger that changes the key after the insertion: nothing is written', async () => {
    const { dataSource } = await open([
      'create table codes (code text primary key)',
      ...trigger('codes', 'after insert', 'update codes set code = upper(code); return null;'),
    ]);
    const service = serve(dataSource);
    await expect(service.create('codes', { code: 'def' }, context)).rejects.toMatchObject(dropped);
    expect(await valuesOf(service, 'codes', 'code')).toEqual([]);
  });
});

describeOnSqlite('Triggers', (open) => {
  it('a trigger that changes another row in the place of a new one, or a clause that ignores it: nothing is written', async () => {
    const { dataSource } = await open([
      'create table stock (code text primary key, n int)',
      'create table once (id integer primary key, code text unique on conflict ignore)',
      "insert into stock values ('a', 1)",
      "insert into once (code) values ('a')",
      `create trigger upsert before insert on stock when exists (select 1 from stock where code = new.code) begin
        update stock set n = n + new.n where code = new.code; select raise(ignore); end`,
    ]);
    const service = serve(dataSource);
    const create = await creator(dataSource);
    expect(await create('stock', { code: 'a', n: 2 })).toEqual([400, dropped.code]);
    expect(await create('stock', { code: 'b', n: 2 })).toEqual([200, { code: 'b', n: 2 }]);
    expect(await create('once', { code: 'a' })).toEqual([400, dropped.code]);
    expect(await valuesOf(service, 'stock', 'n')).toEqual([1, 2]);
    expect(await valuesOf(service, 'once', 'code')).toEqual(['a']);
  });

  it('a trigger that drops what is written: each write says so', async () => {
    const { dataSource } = await open([
      'create table frozen (id integer primary key, v text)',
      "insert into frozen values (1, 'old')",
      'create trigger a before insert on frozen begin select raise(ignore); end',
      'create trigger b before update on frozen begin select raise(ignore); end',
      'create trigger c before delete on frozen begin select raise(ignore); end',
    ]);
    const service = serve(dataSource);
    await expect(service.create('frozen', { v: 'new' }, context)).rejects.toMatchObject(dropped);
    await expect(service.update('frozen', [1], { v: 'new' }, context)).rejects.toMatchObject(dropped);
    await expect(service.delete('frozen', { field: 'id', operator: 'In', value: [1] }, context)).rejects.toMatchObject(
      dropped,
    );
    expect(await valuesOf(service, 'frozen', 'v')).toEqual(['old']);
  });

  it('a trigger that marks a row in the place of its deletion: the record is deleted by its mark', async () => {
    const { dataSource } = await open([
      'create table t (id integer primary key, gone boolean default false)',
      'insert into t (id) values (1), (2)',
      // Without a word of when it runs, it does so before.
      'create trigger "after insert" delete on t begin update t set gone = true where id = old.id; select raise(ignore); end',
    ]);
    const service = serve(dataSource);
    const both = { field: 'id', operator: 'In', value: [1, 2] } as const;
    expect(await service.delete('t', both, context)).toBe(2);
    expect(await valuesOf(service, 't', 'gone')).toEqual([true, true]);
  });

  it('code that catches the refusal of its write: nothing of the transaction is kept', async () => {
    const { dataSource } = await open([
      'create table t (id integer primary key, v text)',
      "insert into t values (1, 'a'), (2, 'b')",
      'create trigger a before update on t begin select raise(ignore); end',
    ]);
    const collector = createDeclarationCollector();
    collector.agent.customizeCollection('t', (collection) =>
      collection.overrideDelete(async ({ collection: store, filter }) => {
        const one = { field: 'id', operator: 'Equal', value: 1 } as const;
        await store.update({ conditionTree: one }, { v: 'x' }).catch(() => 0);
        await store.delete(filter);
      }),
    );
    const service = createRecordService(compileModel([dataSource], await collector.finish()), everythingAllowed);
    const two = { field: 'id', operator: 'In', value: [2] } as const;
    await expect(service.delete('t', two, context)).rejects.toMatchObject(dropped);
    expect(await valuesOf(service, 't', 'v')).toEqual(['a', 'b']);
  });

  it('code that catches the refusal of a new record: nothing of the request is kept', async () => {
    const { dataSource } = await open([
      'create table frozen (id integer primary key, v text)',
      'create table tries (v text primary key)',
      'create table jobs (id integer primary key)',
      'create trigger a before insert on frozen begin insert into tries values (new.v); select raise(ignore); end',
    ]);
    const service = await serveCatching(dataSource);
    await expect(service.create('jobs', { id: 1 }, context)).rejects.toMatchObject(dropped);
    expect(await valuesOf(service, 'jobs', 'id')).toEqual([]);
    expect(await valuesOf(service, 'tries', 'v')).toEqual([]);
  });

  it('a trigger beside thousands of new rows whose key has several parts: all are written', async () => {
    const { dataSource } = await open([
      'create table cells (x int, y int, primary key (x, y))',
      'create table jobs (id integer primary key)',
      'create trigger a after insert on cells begin select 1; end',
    ]);
    const cells = Array.from({ length: 5001 }, (_, index) => ({ x: index, y: index }));
    const collector = createDeclarationCollector();
    collector.agent.customizeCollection('jobs', (collection) =>
      collection.addHook('After', 'Create', async ({ dataSource: stores }) => {
        await stores.getCollection('cells').create(cells);
      }),
    );
    const service = createRecordService(compileModel([dataSource], await collector.finish()), everythingAllowed);
    await service.create('jobs', { id: 1 }, context);
    expect(await service.count({ collection: 'cells' }, context)).toBe(5001);
  });

  it('a trigger that changes the key after the insertion: nothing is written', async () => {
    const { dataSource } = await open([
      'create table codes (code text primary key)',
      'create trigger a after insert on codes begin update codes set code = upper(code); end',
    ]);
    const service = serve(dataSource);
    await expect(service.create('codes', { code: 'def' }, context)).rejects.toMatchObject(dropped);
    expect(await valuesOf(service, 'codes', 'code')).toEqual([]);
    expect(await service.create('codes', { code: 'DEF' }, context)).toEqual({ code: 'DEF' });
  });
});

describeOnMysqlFamilyServers('Triggers', (open, _server, dialect) => {
  it('code that catches the refusal of a new record whose key nobody knows: nothing of the request is kept', async () => {
    const { dataSource } = await open([
      'create table frozen (code varchar(9) collate utf8mb4_bin primary key, v varchar(9))',
      'create table jobs (id int primary key)',
      'create trigger a before insert on frozen for each row set new.code = upper(new.v)',
    ]);
    const service = await serveCatching(dataSource);
    const created = service.create('jobs', { id: 1 }, context);
    // MariaDB returns the key.
    if (dialect === 'mariadb') await expect(created).resolves.toEqual({ id: 1 });
    else await expect(created).rejects.toMatchObject({ code: 'DATABASE_CREATED_KEY_UNKNOWN' });
    const isKept = dialect === 'mariadb';
    expect(await valuesOf(service, 'jobs', 'id')).toEqual(isKept ? [1] : []);
    expect(await valuesOf(service, 'frozen', 'code')).toEqual(isKept ? ['NEW'] : []);
  });

  it('a trigger that changes another row in the place of a new one: nothing is written', async () => {
    const { dataSource } = await open([
      'create table stock (code varchar(9) primary key, n int)',
      'create table inbox (code varchar(9) primary key, n int)',
      "insert into stock values ('a', 1)",
      // The servers let no trigger change the table of its own row.
      'create trigger a before insert on stock for each row update stock set n = n + new.n where code = new.code',
      `create trigger b before insert on inbox for each row begin update inbox_rows set n = n + new.n;
        signal sqlstate '45000' set message_text = 'It was added to its row.'; end`,
      'create table inbox_rows (id int primary key, n int)',
      'insert into inbox_rows values (1, 1)',
    ]);
    const service = serve(dataSource);
    const create = await creator(dataSource);
    expect(await create('stock', { code: 'a', n: 2 })).toEqual([400, 'DATABASE_RULE_REFUSED']);
    expect(await create('inbox', { code: 'a', n: 2 })).toEqual([400, 'DATABASE_RULE_REFUSED']);
    expect(await valuesOf(service, 'stock', 'n')).toEqual([1]);
    expect(await valuesOf(service, 'inbox_rows', 'n')).toEqual([1]);
  });

  it('a trigger that changes the key: MariaDB tells it of a created record, and whatever hides it is refused', async () => {
    const { dataSource } = await open([
      'create table codes (code varchar(9) collate utf8mb4_bin primary key, n int)',
      'create trigger a before insert on codes for each row set new.code = upper(new.code)',
      'create trigger b before update on codes for each row set new.code = upper(new.code)',
    ]);
    const service = serve(dataSource);
    const created = service.create('codes', { code: 'def' }, context);
    if (dialect === 'mariadb') await expect(created).resolves.toMatchObject({ code: 'DEF' });
    else await expect(created).rejects.toMatchObject({ code: 'DATABASE_CREATED_KEY_UNKNOWN' });
    if (dialect === 'mysql')
      expect(await service.create('codes', { code: 'DEF' }, context)).toMatchObject({ code: 'DEF' });
    await expect(service.update('codes', ['DEF'], { code: 'xyz' }, context)).rejects.toMatchObject(dropped);
    expect(await service.update('codes', ['DEF'], { n: 1 }, context)).toEqual({ code: 'DEF', n: 1 });
    expect(await valuesOf(service, 'codes', 'code')).toEqual(['DEF']);
  });
});
