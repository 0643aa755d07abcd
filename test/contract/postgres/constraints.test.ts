import { beforeAll, describe, expect, it } from 'vitest';
import type { CloudError } from '#kernel/errors/cloud-error';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { RecordData } from '#runtime/query/record-query';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();
const context = { timezone: 'UTC' };

const schema = `
  create table owners (id int primary key);
  create table things (
    id int primary key, name text not null, "a b" text, "c""d" text, price numeric(5, 2) check (price >= 0), owner int references owners,
    low int, high int, tag varchar(3), unique ("a b", "c""d"), constraint "low below high" check (low < high));
  create unique index on things (lower(name));
  create unique index only_one on things (tag) where tag is not null;
  create table days (id int, day date, code text, primary key (id, day), unique (code, day)) partition by range (day);
  create table days_2024 partition of days for values from ('2024-01-01') to ('2025-01-01');
  create table later (id int primary key, owner int references owners deferrable initially deferred);
  create domain fee as numeric(4, 2);
  create schema "my types"; create domain "my types"."R""atio" as int check (value between 0 and 100);
  create domain mail as text check (value like '%@%'); create domain given as text not null; create domain part as int check (value > 0);
  create table shares (id int primary key, ratio "my types"."R""atio", mail mail, cc mail, given given default 'x', parts part[]);
  create table places (id int, kind text, day date, primary key (id, kind, day)) partition by list (kind);
  create table sites partition of places for values in ('site') partition by range (day);
  create table limits (id int primary key, small smallint, rate numeric(4, 2), fee fee, levels smallint[], host inet, took interval,
    single real, title text);
  insert into limits (id) values (1);
  insert into owners values (1);
  insert into things (id, name, "a b", "c""d", owner, tag) values (1, 'one', 'x', 'y', 1, 'abc');
  insert into days values (1, '2024-05-05', 'c');`;

let source: DataSource;
beforeAll(async () => {
  source = await server.openDataSource(schema, { poolSize: 1 });
});

async function failureOf(work: Promise<unknown>): Promise<CloudError> {
  return work.then(
    () => Promise.reject(new Error('It should have been refused.')),
    (error: CloudError) => error,
  );
}

describe('a violated constraint of PostgreSQL', () => {
  it.each<[string, string, RecordData, readonly string[]]>([
    ['not null', 'things', { id: 2 }, ['name']],
    ['a primary key', 'things', { id: 1, name: 'two' }, ['id']],
    ['a unique constraint', 'things', { id: 2, name: 'two', 'a b': 'x', 'c"d': 'y' }, ['a b', 'c"d']],
    ['a unique index', 'things', { id: 2, name: 'two', tag: 'abc' }, ['tag']],
    ['a unique expression', 'things', { id: 2, name: 'ONE' }, []],
    ['a check of a column', 'things', { id: 2, name: 'two', price: '-1' }, ['price']],
    ['a check of the table', 'things', { id: 2, name: 'two', low: 2, high: 1 }, ['low', 'high']],
    ['a foreign key', 'things', { id: 2, name: 'two', owner: 9 }, ['owner']],
    ['a key of a partition', 'days', { id: 2, day: '2024-05-05', code: 'c' }, ['code', 'day']],
    ['a foreign key, deferred', 'later', { id: 1, owner: 9 }, ['owner']],
  ])('%s names the fields', async (_what, collection, record, fields) => {
    const error = await failureOf(source.create(collection, [record], context));
    expect(error.code).toBe('DATABASE_CONSTRAINT_VIOLATED');
    expect(error.details).toEqual(fields.length > 0 ? { field: fields[0], fields } : {});
    expect(error.message).not.toMatch(/insert|values|things/i);
  });

  const ofType = 'breaks a check rule of its type.';
  it.each<[string, string, RecordData, string, readonly string[]]>([
    ['a domain', 'shares', { id: 1, ratio: 101 }, `The value of "ratio" ${ofType}`, ['ratio']],
    ['a domain in a list', 'shares', { id: 1, parts: [1, 0] }, `The value of "parts" ${ofType}`, ['parts']],
    [
      'a domain of two columns',
      'shares',
      { id: 1, cc: 'a' },
      'The record breaks a check rule of the type of a column.',
      [],
    ],
    [
      'a domain that is not null',
      'shares',
      { id: 1, given: null },
      'The value of "given" breaks a not-null rule',
      ['given'],
    ],
    [
      'a partition',
      'days',
      { id: 1, day: '2030-01-01' },
      'The value of "day" fits no partition of the table.',
      ['day'],
    ],
    [
      'a partition in another',
      'places',
      { id: 1, kind: 'site', day: '2030-01-01' },
      'The value of "day" fits no',
      ['day'],
    ],
  ])('says what kind it is: %s', async (_what, collection, record, message, fields) => {
    const service = createRecordService(compileModel([source], []), everythingAllowed);
    const inRequest = await failureOf(service.create(collection, record, callIn('UTC')));
    for (const error of [await failureOf(source.create(collection, [record], context)), inRequest]) {
      expect(error.message).toContain(message);
      expect(error).toMatchObject({
        code: 'DATABASE_CONSTRAINT_VIOLATED',
        details: fields.length > 0 ? { field: fields[0], fields } : {},
      });
    }
  });

  it('names the column of a domain that an update breaks', async () => {
    await source.create('shares', [{ id: 7 }], context);
    const where = { field: 'id', operator: 'Equal' as const, value: 7 };
    const error = await failureOf(source.update('shares', where, { ratio: -1 }, context));
    expect(error.message).toContain('"ratio"');
  });

  it('names the fields too when a whole request is rolled back', async () => {
    const collector = createDeclarationCollector();
    collector.agent.customizeCollection('things', (things) => things.renameField('owner', 'keeper'));
    const service = createRecordService(compileModel([source], await collector.finish()), everythingAllowed);
    const call = callIn('UTC');
    const unique = await failureOf(service.create('things', { id: 2, name: 'two', tag: 'abc' }, call));
    expect(unique.details).toEqual({ field: 'tag', fields: ['tag'] });
    const foreign = await failureOf(service.update('things', [1], { keeper: 9 }, call));
    expect(foreign).toMatchObject({ details: { fields: ['keeper'] }, message: expect.stringContaining('"keeper"') });
    const deferred = await failureOf(service.create('later', { id: 1, owner: 9 }, call));
    expect(deferred.details).toEqual({ field: 'owner', fields: ['owner'] });
  });

  it('keeps a record that others refer to', async () => {
    const error = await failureOf(source.delete('owners', { field: 'id', operator: 'Equal', value: 1 }, context));
    expect(error).toMatchObject({ code: 'DATABASE_CONSTRAINT_VIOLATED' });
  });

  it('undoes the whole batch', async () => {
    const records = [
      { id: 20, name: 'twenty' },
      { id: 1, name: 'again' },
    ];
    await failureOf(source.create('things', records, context));
    expect(await source.count('things', undefined, context)).toBe(1);
  });
});

describe('a value that PostgreSQL cannot hold', () => {
  it.each<[string, RecordData]>([
    ['too long a text', { id: 3, name: 'three', tag: 'abcd' }],
    ['too big a number', { id: 3, name: 'three', price: '123456' }],
    ['too big an integer', { id: 3, name: 'three', low: 99_999_999_999 }],
    ['a fraction for an integer', { id: 3, name: 'three', low: 1.5 }],
    ['a text with a NUL', { id: 3, name: 'thr\0ee' }],
  ])('%s is refused as such', async (_what, record) => {
    expect(await failureOf(source.create('things', [record], context))).toMatchObject({
      code: 'DATABASE_VALUE_REFUSED',
    });
  });

  const isNoInteger = 'is not a whole number from -32768 to 32767, which is what its column holds';
  const isUnfit = 'does not fit the type, the size or the range of its column';
  it.each<[RecordData, string, string]>([
    [{ small: 32_768 }, 'small', isNoInteger],
    [{ small: 1.5, rate: '1.00' }, 'small', isNoInteger],
    [{ rate: '99.995' }, 'rate', 'is out of the range of its column, which is numeric(4,2)'],
    [{ rate: 'Infinity' }, 'rate', 'is out of the range of its column, which is numeric(4,2)'],
    [{ small: 1, rate: '1e999999' }, 'rate', 'is out of the range of its column, which is numeric(4,2)'],
    [{ fee: '100' }, 'fee', 'is out of the range of its column, which is numeric(4,2)'],
    [{ levels: [1, [32_768]] }, 'levels', isNoInteger],
    [{ host: 'nowhere', small: 1, rate: '1', title: 'x' }, 'host', isUnfit],
    [{ took: 'for ages' }, 'took', isUnfit],
    [{ single: 1e39 }, 'single', isUnfit],
  ])('is named with its column: %j', async (record, field, problem) => {
    const refused = {
      code: 'DATABASE_VALUE_REFUSED',
      message: `The value of "${field}" ${problem}.`,
      details: { field, fields: [field] },
    };
    expect(await failureOf(source.create('limits', [{ id: 2, ...record }], context))).toMatchObject(refused);
    const one = { field: 'id', operator: 'Equal', value: 1 } as const;
    expect(await failureOf(source.update('limits', one, record, context))).toMatchObject(refused);
  });

  it('is not guessed where two columns may be meant', async () => {
    const record = { id: 2, host: 'nowhere', took: 'for ages' };
    const error = await failureOf(source.create('limits', [record], context));
    expect(error).toMatchObject({ code: 'DATABASE_VALUE_REFUSED', details: {} });
  });
});
