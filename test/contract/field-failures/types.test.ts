/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * BigInt and numeric                        | data-source suite "keeps every value of every type as it was given" and
 *                                           | "takes exact numbers as texts and numbers, …"
 * Aggregates come back as strings           | data-source suite "aggregates", postgres/aggregation, mariadb/aggregates
 * Distinct date, time and instant types     | data-source suite "relative dates", postgres/records "keeps an instant
 *                                           | whatever the offset …", mariadb/conditions "reads what was written to %s"
 * Infinite and ancient dates                | postgres/records "shows values that are not dates as they are"
 * Unknown types are counted in one line     | postgres/introspection "keeps columns of unknown types to be shown, …"
 * Geometry as GeoJSON                       | mariadb/aggregates "shows geometry as GeoJSON"
 * Generated columns, defaults, identity     | data-source suite "reads generated columns back, …" and "gives complete
 *                                           | records back: …"; postgres/introspection "tells defaults … that are computed"
 */
import { expect, it } from 'vitest';
import type { Operator } from '#runtime/query/operators';
import { isMysqlFamily } from '../data-source/ddl.ts';
import { describeOnEngines, describeOnMysqlFamilyServers, describeOnPostgres, describeOnSqlite } from './engines.ts';
import { context, serve, valuesOf } from './requests.ts';

/** Of the right type for their column, and yet beyond what most databases can keep. */
const strangeValues = [
  ['name', 'x\0'],
  ['name', '\ud800'],
  ['total', '1e400'],
  ['total', '1e-400'],
  ['total', '1e999999'],
  ['total', '9'.repeat(200_000)],
  ['day', '0000-01-01'],
  ['day', '9999-12-31'],
  ['at', '0000-01-01T00:00:00Z'],
  ['at', '+275760-09-13T00:00:00.000Z'],
  ['at', '-271821-04-20T00:00:00.000Z'],
  ['clock', '23:59:59.999999999'],
  ['id', Number.MAX_VALUE],
  ['id', 1e-320],
  ['id', 1.5],
] as const;

describeOnEngines('Types', (open, dialect) => {
  const binary = dialect === 'postgres' ? 'bytea' : 'blob';
  const lacksUuids = dialect === 'mysql';
  const why = lacksUuids ? ' (skipped: MySQL keeps UUIDs as texts or bytes)' : '';

  it.skipIf(lacksUuids)(
    `malformed UUID and binary filters: refused as invalid, or no match, never a failure of the database${why}`,
    async () => {
      const { dataSource } = await open([
        `create table t (id int primary key, code uuid, picture ${binary}, name varchar(9))`,
      ]);
      const service = serve(dataSource);
      const seventh = '01890a5d-ac96-774b-bcce-b302099a8057';
      await service.create('t', { id: 1, code: seventh, picture: '00ff', name: 'x' }, context);
      expect(await valuesOf(service, 't', 'id', { field: 'code', operator: 'Equal', value: seventh })).toEqual([1]);
      for (const [field, operator, value] of [
        ['code', 'Equal', 'not-a-uuid'],
        ['code', 'In', [seventh, '01890a5d']],
        ['code', 'NotEqual', "' or 1=1 --"],
        ['picture', 'Equal', 'zz'],
        ['picture', 'In', ['0']],
        ['id', 'Equal', 'one'],
      ] as const) {
        const failure = service.count({ collection: 't', where: { field, operator, value } }, context);
        await expect(failure, `${field} ${operator}`).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
      }
      await expect(service.get('t', ['one'], undefined, context)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
      for (const search of ['01890a5d', '\\', '%', '\0', '9'.repeat(256), 'é'.repeat(256), '1e999'])
        expect(await service.count({ collection: 't', search }, context), JSON.stringify(search.slice(0, 9))).toBe(0);
    },
  );

  it.skipIf(lacksUuids)(
    `UUIDs of version 7: taken in writes, ids, filters, searches and references, and in the order of their time${why}`,
    async () => {
      const { dataSource } = await open([
        'create table users (id uuid primary key not null, name varchar(9))',
        'create table tasks (id int primary key, user_id uuid references users (id))',
      ]);
      const service = serve(dataSource);
      const ids = [
        '018f3c5e-7a10-7000-8000-00000000000a',
        '018f3c5e-7a11-7fff-bfff-000000000001',
        '01900000-0000-7123-9abc-0123456789ab',
        'ffffffff-ffff-7fff-bfff-ffffffffffff',
      ] as const;
      for (const [index, id] of [...ids].reverse().entries()) {
        const given = index % 2 === 0 ? id : id.toUpperCase();
        expect(await service.create('users', { id: given, name: `u${index}` }, context)).toMatchObject({ id });
      }
      expect(await valuesOf(service, 'users', 'id')).toEqual(ids);
      await service.create('tasks', { id: 1, user_id: ids[1] }, context);
      for (const id of [ids[1], ids[1].toUpperCase()]) {
        expect(await service.get('users', [id], ['id', 'name'], context)).toEqual({ id: ids[1], name: 'u2' });
        for (const [operator, value] of [
          ['Equal', id],
          ['In', [id, '00000000-0000-7000-8000-000000000000']],
        ] as const) {
          expect(await valuesOf(service, 'users', 'id', { field: 'id', operator, value })).toEqual([ids[1]]);
          expect(await valuesOf(service, 'tasks', 'id', { field: 'user:id', operator, value })).toEqual([1]);
          expect(await valuesOf(service, 'users', 'id', { field: 'tasks:user_id', operator, value })).toEqual([ids[1]]);
        }
        expect(await service.count({ collection: 'users', search: id }, context)).toBe(1);
        const others = { field: 'id', operator: 'NotEqual', value: id } as const;
        expect(await service.count({ collection: 'users', where: others }, context)).toBe(3);
      }
      expect(await service.update('tasks', [1], { user_id: ids[3] }, context)).toMatchObject({ user_id: ids[3] });
      expect(await service.delete('users', { field: 'id', operator: 'In', value: [ids[0], ids[2]] }, context)).toBe(2);
      expect(await valuesOf(service, 'users', 'id')).toEqual([ids[1], ids[3]]);
    },
  );

  it('bytes given as a data URI with percent-escapes: those bytes, in writes, ids and filters', async () => {
    const keyType = { sqlite: 'blob', postgres: 'bytea', mariadb: 'varbinary(9)', mysql: 'varbinary(9)' }[dialect];
    const { dataSource } = await open([`create table t (id ${keyType} primary key not null, picture ${binary})`]);
    const service = serve(dataSource);
    await service.create('t', { id: 'data:,a%00%FF%', picture: 'data:,%89%25' }, context);
    const stored = { id: '6100ff25', picture: 'data:application/octet-stream;base64,iSU=' };
    for (const id of ['data:,a%00%ff%25', 'data:;base64,YQD%2FJQ%3D%3D', '6100FF25']) {
      expect(await service.get('t', [id], undefined, context), id).toEqual(stored);
    }
    expect(await service.update('t', ['data:,%61%00%ff%'], { picture: 'data:,%' }, context)).toEqual({
      ...stored,
      picture: 'data:application/octet-stream;base64,JQ==',
    });
    if (dialect !== 'postgres') return;
    const where = { field: 'picture', operator: 'Equal', value: 'data:,%25' } as const;
    expect(await service.list({ collection: 't', projection: ['id'], where }, context)).toEqual([{ id: '6100ff25' }]);
  });

  it('values that no column can hold: no match or refused, never a failure of the database', async () => {
    const instant = { sqlite: 'datetime', postgres: 'timestamptz', mariadb: 'datetime', mysql: 'datetime' }[dialect];
    const { dataSource } = await open([
      `create table t (id int primary key, name varchar(9), total decimal(9,2), day date, at ${instant}, clock time)`,
      "insert into t values (1, 'x', 1.5, '2024-01-02', '2024-01-02 03:04:05', '03:04:05')",
    ]);
    const service = serve(dataSource);
    for (const [field, value] of strangeValues) {
      for (const operator of ['Equal', 'In', 'NotEqual', field === 'name' ? 'Contains' : 'LessThan'] as const) {
        const where = { field, operator, value: operator === 'In' ? [value] : value };
        const outcome = await service.count({ collection: 't', where }, context).catch((error: unknown) => error);
        const accepted = expect.toBeOneOf([0, 1, expect.objectContaining({ kind: 'user' })]);
        expect(outcome, `${field} ${operator} ${JSON.stringify(value).slice(0, 30)}`).toEqual(accepted);
        if (operator === 'Equal' || operator === 'In') expect(outcome).not.toBe(1);
      }
    }
    const writable = strangeValues.filter(([field]) => field !== 'id');
    for (const [index, [field, value]] of writable.entries()) {
      const record = { id: 2 + index, [field]: value };
      const outcome = await service.create('t', record, context).catch((error: unknown) => error);
      const accepted = expect.toBeOneOf([
        expect.objectContaining({ id: record.id }),
        expect.objectContaining({ kind: 'user' }),
      ]);
      expect(outcome, `${field} = ${JSON.stringify(value).slice(0, 30)}`).toEqual(accepted);
    }
  });

  it('numbers beyond the range of their column: no match in a filter, refused in a write', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, n smallint, b bigint)',
      'insert into t values (1, 2, 3)',
    ]);
    const service = serve(dataSource);
    for (const value of ['99999999999999999999999', 99999999999, '-99999999999999999999999']) {
      expect(await valuesOf(service, 't', 'id', { field: 'n', operator: 'Equal', value })).toEqual([]);
      expect(await valuesOf(service, 't', 'id', { field: 'b', operator: 'In', value: [value] })).toEqual([]);
      expect(await service.count({ collection: 't', search: String(value) }, context)).toBe(0);
    }
    if (dialect === 'sqlite') return;
    await expect(service.update('t', [1], { n: 70_000 }, context)).rejects.toMatchObject({
      code: 'DATABASE_VALUE_REFUSED',
    });
  });

  it('huge JSON and text: written and read whole, and left in the database where nobody asks for them', async () => {
    const json = dialect === 'postgres' ? 'jsonb' : 'json';
    const { dataSource } = await open([
      `create table t (id int primary key, body ${isMysqlFamily(dialect) ? 'longtext' : 'text'}, doc ${json})`,
    ]);
    const service = serve(dataSource);
    const body = 'é🎉'.repeat(500_000);
    const doc = { list: Array.from({ length: 100_000 }, (_, index) => ({ index })) };
    const created = await service.create('t', { id: 1, body, doc }, context);
    expect(created['body'] === body).toBe(true);
    expect(created['doc']).toEqual(doc);
    expect(await service.list({ collection: 't', projection: ['id'] }, context)).toEqual([{ id: 1 }]);
  });

  it('values that a trigger changes: read again after every write', async () => {
    const body = 'new.slug = lower(new.title)';
    const mysqlFamily = ['insert', 'update'].map(
      (event) => `create trigger slug_${event} before ${event} on t for each row set ${body}`,
    );
    const triggers = {
      sqlite: ['insert', 'update of title'].map(
        (event, index) =>
          `create trigger slug_${index} after ${event} on t begin update t set slug = lower(new.title) where id = new.id; end`,
      ),
      mariadb: mysqlFamily,
      mysql: mysqlFamily,
      postgres: [
        `create function slug() returns trigger language plpgsql as $$ begin ${body.replace('=', ':=')}; return new; end $$`,
        'create trigger slug before insert or update on t for each row execute function slug()',
      ],
    };
    const { dataSource } = await open([
      'create table t (id int primary key, title varchar(9), slug varchar(9))',
      ...triggers[dialect],
    ]);
    const service = serve(dataSource);
    expect(await service.create('t', { id: 1, title: 'ONE' }, context)).toEqual({ id: 1, title: 'ONE', slug: 'one' });
    expect(await service.update('t', [1], { title: 'TWO' }, context)).toEqual({ id: 1, title: 'TWO', slug: 'two' });
  });
});

describeOnPostgres('Types', (open) => {
  it('NaN and infinity: told apart from null, and written back as they are shown', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, d float8, r real, n numeric, l float8[], note text)',
      `insert into t values (1, 'NaN', '-Infinity', 'Infinity', '{NaN,1}', 'a'), (2, null, null, null, null, 'b')`,
    ]);
    const service = serve(dataSource);
    const [shown = {}] = JSON.parse(JSON.stringify(await service.list({ collection: 't' }, context)));
    expect(shown).toEqual({ id: 1, d: 'NaN', r: '-Infinity', n: 'Infinity', l: ['NaN', 1], note: 'a' });
    expect(await service.update('t', [1], { ...shown, note: 'edited' }, context)).toEqual({ ...shown, note: 'edited' });
    expect(await valuesOf(service, 't', 'id', { field: 'd', operator: 'Missing', value: null })).toEqual([2]);
    for (const d of ['nan', 'Infinite', '']) {
      await expect(service.update('t', [1], { d }, context)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    }
  });

  it('years beyond 9999 and before the first one: in their own place in a chart', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, day date, at timestamptz)',
      "insert into t values (1, '0002-03-04 BC', '0002-03-04 BC'), (2, '10002-01-01', '10002-01-01Z')",
    ]);
    const service = serve(dataSource);
    for (const field of ['day', 'at']) {
      const aggregation = { operation: 'Count' as const, groups: [{ field, bucket: 'Year' as const }] };
      const groups = await service.aggregate({ collection: 't', aggregation }, context);
      const days = groups.map(({ groups: [day] }) => String(day));
      expect(days.toSorted()).toEqual(['0002-01-01 BC', '10002-01-01']);
    }
  });

  it('enums: custom names in another schema, a text search that casts, an added value after a refresh', async () => {
    const database = await open([
      'create schema "Odd"',
      `create type "Odd"."Mo""od" as enum ('Sad', 'ok')`,
      'create table t (id int primary key, mood "Odd"."Mo""od")',
      "insert into t values (1, 'Sad'), (2, 'ok'), (3, null)",
    ]);
    const service = serve(database.dataSource);
    expect(await service.count({ collection: 't', search: 'SAD' }, context)).toBe(1);
    expect(await valuesOf(service, 't', 'id', { field: 'mood', operator: 'In', value: ['ok', 'Sad'] })).toEqual([1, 2]);
    const happy = { field: 'mood', operator: 'Equal', value: 'happy' } as const;
    await expect(service.count({ collection: 't', where: happy }, context)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    await database.execute(`alter type "Odd"."Mo""od" add value 'happy'`);
    const refreshed = serve(await database.reopen());
    await refreshed.update('t', [3], { mood: 'happy' }, context);
    expect(await valuesOf(refreshed, 't', 'id', happy)).toEqual([3]);
  });

  it('arrays, arrays of JSON, arrays of enums: filtered, edited and read back', async () => {
    const { dataSource } = await open([
      "create type mood as enum ('a b', 'c')",
      'create table t (id int primary key, numbers int[], texts text[], docs jsonb[], moods mood[])',
    ]);
    const service = serve(dataSource);
    const record = {
      id: 1,
      numbers: [1, null, 3],
      texts: ['a,b', '"q\\"', '', 'NULL', null],
      docs: [{ a: '"x"' }, [1, 2], 'text'],
      moods: ['a b', 'c'],
    };
    expect(await service.create('t', record, context)).toEqual(record);
    const edited = { numbers: [], texts: ['{}'], docs: [{ b: [null] }], moods: null };
    expect(await service.update('t', [1], edited, context)).toEqual({ id: 1, ...edited });
    const where = { field: 'texts', operator: 'IncludesAll', value: ['{}'] } as const;
    expect(await valuesOf(service, 't', 'id', where)).toEqual([1]);
    expect(await valuesOf(service, 't', 'id', { field: 'moods', operator: 'Missing' })).toEqual([1]);
    await expect(service.update('t', [1], { numbers: ['x'] }, context)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  it('money: digits as text, in both ways', async () => {
    const { dataSource } = await open(['create table t (id int primary key, price money)']);
    const service = serve(dataSource);
    const price = '92233720368547758.07';
    expect(await service.create('t', { id: 1, price }, context)).toEqual({ id: 1, price });
    await service.create('t', { id: 2, price: -0.1 }, context);
    expect(await valuesOf(service, 't', 'price')).toEqual(['-0.10', price]);
    expect(await valuesOf(service, 't', 'id', { field: 'price', operator: 'Equal', value: price })).toEqual([1]);
    expect(await valuesOf(service, 't', 'id', { field: 'price', operator: 'LessThan', value: 0 })).toEqual([2]);
  });

  it('opaque and unknown types: shown as text, read-only and not filtered, one warning a type', async () => {
    const { dataSource } = await open([
      'create type pair as (a int, b int)',
      'create table t (id int primary key, area polygon, span int4range, duo pair)',
      "insert into t values (1, '((0,0),(1,1))', '[1,5)', '(1,2)')",
    ]);
    expect(dataSource.warnings).toHaveLength(3);
    const service = serve(dataSource);
    const record = { id: 1, area: '((0,0),(1,1))', span: '[1,5)', duo: '(1,2)' };
    expect(await service.get('t', [1], undefined, context)).toEqual(record);
    expect(dataSource.collections[0]?.fields.get('area')).toMatchObject({ nativeType: 'polygon', isReadOnly: true });
    await expect(service.update('t', [1], { span: '[2,3)' }, context)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    const where = { field: 'duo', operator: 'Equal', value: '(1,2)' } as const;
    await expect(service.count({ collection: 't', where }, context)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    const sort = [{ field: 'area', ascending: true }];
    await expect(service.list({ collection: 't', sort }, context)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    expect(await service.count({ collection: 't', search: '1' }, context)).toBe(1);
    expect(await valuesOf(service, 't', 'id', { field: 'area', operator: 'Present' })).toEqual([1]);
    expect(await service.create('t', { id: 2 }, context)).toEqual({ id: 2, area: null, span: null, duo: null });
  });
});

describeOnMysqlFamilyServers('Types', (open) => {
  it('enums: a value that is added is there after a refresh', async () => {
    const database = await open([
      "create table t (id int primary key, mood enum('sad', 'it''s ok'))",
      "insert into t values (1, 'sad')",
    ]);
    expect(await serve(database.dataSource).count({ collection: 't', search: 'SAD' }, context)).toBe(1);
    await database.execute("alter table t modify mood enum('sad', 'it''s ok', 'happy')");
    const refreshed = serve(await database.reopen());
    expect(await refreshed.update('t', [1], { mood: 'happy' }, context)).toEqual({ id: 1, mood: 'happy' });
  });

  it('zero dates: null in records, filters, groups and expressions', async () => {
    const { dataSource } = await open([
      "set session sql_mode = ''",
      'create table t (id int primary key, `day` date not null, at datetime(6) null)',
      "insert into t values (1, '0000-00-00', '0000-00-00 00:00:00'), (2, '2024-01-02', '2024-01-02 03:04:05.123456'), (3, '0000-00-00', null)",
    ]);
    const service = serve(dataSource);
    const records = await service.list({ collection: 't', sort: [{ field: 'id', ascending: true }] }, context);
    expect(records).toEqual([
      { id: 1, day: null, at: null },
      { id: 2, day: '2024-01-02', at: '2024-01-02T03:04:05.123Z' },
      { id: 3, day: null, at: null },
    ]);
    for (const [field, value] of [
      ['day', '2024-01-02'],
      ['at', '2024-01-02T03:04:05.123Z'],
    ] as const) {
      const later = value.replace('2024', '2025');
      const found = (operator: Operator, given?: unknown) =>
        valuesOf(service, 't', 'id', { field, operator, ...(given === undefined ? {} : { value: given }) });
      for (const [operator, given] of [
        ['Missing', undefined],
        ['Blank', undefined],
        ['Equal', null],
        ['In', [null]],
        ['NotEqual', value],
        ['NotIn', [value]],
      ] as const)
        expect(await found(operator, given), `${field} ${operator}`).toEqual([1, 3]);
      for (const [operator, given] of [
        ['Present', undefined],
        ['NotIn', [null]],
        ['Before', later],
        ['Past', undefined],
        ['Equal', value],
      ] as const)
        expect(await found(operator, given), `${field} ${operator}`).toEqual([2]);
      expect(await found('In', [null, value])).toEqual([1, 2, 3]);
      for (const bucket of [undefined, 'Month'] as const) {
        const groups = [{ field, bucket }];
        const rows = await dataSource.aggregate(
          { collection: 't', aggregation: { operation: 'Count', field, groups } },
          { timezone: 'UTC' },
        );
        expect(rows.map((row) => [row.group[field] === null, row.value]).toSorted(), `${field} ${bucket}`).toEqual([
          [false, 1],
          [true, 0],
        ]);
      }
      const min = await dataSource.aggregate(
        { collection: 't', aggregation: { operation: 'Min', field, groups: [] } },
        { timezone: 'UTC' },
      );
      expect(min[0]?.value).toBe(value);
    }
  });

  it('invalid stored dates: shown as they are', async () => {
    const { dataSource } = await open([
      "set session sql_mode = ''",
      'create table t (id int primary key, "day" date, at datetime)'.replaceAll('"', '`'),
      "insert into t values (1, '2024-02-00', '2024-00-00 00:00:00'), (2, '2024-00-00', '2024-01-02 03:04:05')",
    ]);
    const records = await serve(dataSource).list(
      { collection: 't', sort: [{ field: 'id', ascending: true }] },
      context,
    );
    expect(records).toEqual([
      { id: 1, day: '2024-02-00', at: '2024-00-00 00:00:00' },
      { id: 2, day: '2024-00-00', at: '2024-01-02T03:04:05.000Z' },
    ]);
  });
});

describeOnSqlite('Types', (open) => {
  it('infinity: shown and written back; NaN, which SQLite keeps as null, is refused', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, d real)',
      'insert into t values (1, 9e999), (2, null)',
    ]);
    const service = serve(dataSource);
    expect(await service.list({ collection: 't' }, context)).toEqual([
      { id: 1, d: 'Infinity' },
      { id: 2, d: null },
    ]);
    expect(await service.update('t', [2], { d: '-Infinity' }, context)).toEqual({ id: 2, d: '-Infinity' });
    expect(await service.update('t', [1], { d: 'Infinity' }, context)).toEqual({ id: 1, d: 'Infinity' });
    const refused = { code: 'DATABASE_VALUE_REFUSED', message: expect.stringContaining('NaN') };
    await expect(service.update('t', [1], { d: 'NaN' }, context)).rejects.toMatchObject(refused);
  });

  it('invalid stored values, dates that are not one, numbers that are not one: shown as they are', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, at datetime, day date, n int, flag boolean, doc json)',
      "insert into t values (1, 'soon', 'never', 'many', 'maybe', '{'), (2, '2024-01-02 03:04:05', '2024-01-02', 5, 1, '{}')",
    ]);
    const records = await serve(dataSource).list(
      { collection: 't', sort: [{ field: 'id', ascending: true }] },
      context,
    );
    expect(records).toMatchObject([
      { id: 1, at: 'soon', day: 'never', doc: '{' },
      { id: 2, at: '2024-01-02T03:04:05.000Z', day: '2024-01-02', n: 5, flag: true, doc: {} },
    ]);
  });
});
