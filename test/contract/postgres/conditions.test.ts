import { beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { ColumnSchema, FieldSchema } from '#runtime/query/collection-schema';
import type { Operator } from '#runtime/query/operators';
import { parseConditionTree } from '#runtime/query/parse-condition-tree';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();

const schema = `
  create extension citext;
  create type mood as enum ('sad', 'ok', 'Happy "x"');
  create table things (
    id integer primary key,
    small smallint, whole integer, big bigint, exact numeric(20, 4), loose numeric, cash money, single real, twice double precision,
    flag boolean, words text, short varchar(40), padded char(6), loud citext, address inet, bits bit(3), stretch interval,
    code uuid, day date, clock time, zoned timetz, stamp timestamp, moment timestamptz, doc json, docb jsonb, raw bytea,
    spot point, feeling mood, numbers integer[], names text[], moods mood[], prices numeric[], moments timestamptz[], docs jsonb[]
  );
  insert into things values
    (1, -5, 7, 9007199254740993, 12.5000, 12.50, 1234.5, 0.1, 0.1, true, 'Ärger 100%_\\ é𝄞', 'line' || chr(10) || 'break', 'ab', 'Foo@Bar.io', '10.0.0.1', '101', '1 day 02:03',
      '6f1a9c4e-1111-4222-8333-444455556666', '2024-02-29', '10:20:30.5', '10:20:30+02', '2024-03-31 01:30:00.123456', '2024-03-31 01:30:00.123456+00',
      '{"a": [1, 2]}', '{"b": 1, "a": 2}', '\\x00ff', '(1.5,-2)', 'Happy "x"', '{1,2,null}', '{"a,b","q\\"x","NULL",null}', '{ok,sad}', '{1.10,2}', '{2024-01-01 00:00:00+00}', '{"{\\"x\\":1}"}'),
    (2, 3, null, -9007199254740993, -12.5000, 12.5, null, null, 'NaN', false, '', null, null, null, null, null, null,
      null, null, null, null, null, null, 'null', 'null', null, null, null, '{}', '{}', '{}', '{}', '{}', '{}'),
    (3, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
      null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);`;

let source: DataSource;
const context = { timezone: 'Europe/Paris' };

beforeAll(async () => {
  source = await server.openDataSource(schema);
});

async function found(field: string, operator: Operator, value?: unknown): Promise<number[]> {
  const records = await source.list(
    {
      collection: 'things',
      projection: ['id'],
      where: { field, operator, value },
      sort: [{ field: 'id', ascending: true }],
    },
    context,
  );
  return records.map((record) => Number(record['id']));
}

describe('a condition on PostgreSQL', () => {
  it.each<[string, Operator, unknown, number[]]>([
    ['small', 'Equal', -5, [1]],
    ['small', 'NotEqual', -5, [2, 3]],
    ['small', 'LessThan', 2.5, [1]],
    ['small', 'GreaterThan', 1e30, []],
    ['small', 'In', [-5, 1e30, 2.5], [1]],
    ['small', 'NotIn', [-5], [2, 3]],
    ['small', 'NotIn', [-5, null], [2]],
    ['small', 'In', [3, null], [2, 3]],
    ['big', 'Equal', '9007199254740993', [1]],
    ['big', 'Equal', '9007199254740992', []],
    ['big', 'LessThan', '99999999999999999999999999', [1, 2]],
    ['big', 'NotEqual', '99999999999999999999999999', [1, 2, 3]],
    ['exact', 'Equal', '12.5', [1]],
    ['exact', 'Equal', 12.5, [1]],
    ['exact', 'In', ['12.50', -12.5], [1, 2]],
    ['loose', 'Equal', '12.500', [1, 2]],
    ['cash', 'Equal', '1234.50', [1]],
    ['cash', 'GreaterThan', '1234.499', [1]],
    ['single', 'Equal', 0.1, [1]],
    ['twice', 'Equal', 0.1, [1]],
    ['flag', 'Equal', false, [2]],
    ['flag', 'NotEqual', true, [2, 3]],
    ['flag', 'In', [true], [1]],
    ['words', 'Present', undefined, [1]],
    ['words', 'Blank', undefined, [2, 3]],
    ['words', 'Missing', undefined, [3]],
    ['words', 'Equal', 'Ärger 100%_\\ é𝄞', [1]],
    ['words', 'Contains', '100%_\\', [1]],
    ['words', 'Contains', '100%%', []],
    ['words', 'NotContains', 'x', [1, 2, 3]],
    ['words', 'IContains', 'ÄRGER', [1]],
    ['words', 'NotIContains', 'ÄRGER', [2, 3]],
    ['words', 'Contains', 'ärger', []],
    ['words', 'IStartsWith', 'äRG', [1]],
    ['words', 'IEndsWith', 'É𝄞', [1]],
    ['words', 'Like', 'Ärger 100\\%\\_\\\\ _𝄞', [1]],
    ['words', 'Like', 'Ärger%\\', []],
    ['words', 'ILike', 'ärger%', [1]],
    ['words', 'LongerThan', 14, [1]],
    ['words', 'LongerThan', 15, []],
    ['words', 'ShorterThan', 1, [2]],
    ['words', 'Equal', 'a\0b', []],
    ['words', 'NotEqual', 'a\0b', [1, 2, 3]],
    ['words', 'NotContains', 'a\0b', [1, 2, 3]],
    ['words', 'In', ['a\0b', ''], [2]],
    ['short', 'Like', 'line%break', [1]],
    ['padded', 'Equal', 'ab', [1]],
    ['padded', 'Equal', 'ab ', []],
    ['padded', 'In', ['ab'], [1]],
    ['loud', 'Equal', 'Foo@Bar.io', [1]],
    ['loud', 'Equal', 'foo@bar.io', []],
    ['loud', 'NotEqual', 'foo@bar.io', [1, 2, 3]],
    ['loud', 'IContains', 'FOO', [1]],
    ['loud', 'In', ['foo@bar.io'], []],
    ['address', 'Equal', '10.0.0.1', [1]],
    ['address', 'StartsWith', '10.', [1]],
    ['bits', 'Equal', '101', [1]],
    ['code', 'Equal', '6F1A9C4E-1111-4222-8333-444455556666', [1]],
    ['code', 'In', ['6f1a9c4e-1111-4222-8333-444455556666'], [1]],
    ['day', 'Equal', '2024-02-29', [1]],
    ['day', 'Before', '2024-03-01', [1]],
    ['day', 'Past', undefined, [1]],
    ['clock', 'LessThan', '10:20:31', [1]],
    ['clock', 'Equal', '10:20:30.500', [1]],
    ['stamp', 'Equal', '2024-03-31T01:30:00.123456Z', [1]],
    ['stamp', 'Equal', '2024-03-31T03:30:00.123456+02:00', [1]],
    ['moment', 'Equal', '2024-03-31T01:30:00.123Z', [1]],
    ['moment', 'After', '2024-03-31T01:30:00.123Z', [1]],
    ['moment', 'Before', '2024-03-31T01:30:00.124Z', [1]],
    ['moment', 'PreviousYear', undefined, []],
    ['doc', 'Equal', { a: [1, 2] }, [1]],
    ['docb', 'Equal', { a: 2, b: 1 }, [1]],
    ['docb', 'NotEqual', { a: 2, b: 1 }, [2, 3]],
    ['docb', 'Missing', undefined, [2, 3]],
    ['docb', 'In', [{ a: 2, b: 1 }, null], [1, 2, 3]],
    ['raw', 'Equal', '00ff', [1]],
    ['raw', 'In', [Uint8Array.of(0, 255)], [1]],
    ['spot', 'Equal', '1.5,-2', [1]],
    ['spot', 'NotEqual', '1.5,-2', [2, 3]],
    ['feeling', 'Equal', 'Happy "x"', [1]],
    ['feeling', 'Equal', 'unknown', []],
    ['feeling', 'NotEqual', 'unknown', [1, 2, 3]],
    ['feeling', 'In', ['Happy "x"', 'unknown', null], [1, 2, 3]],
    ['feeling', 'NotIn', ['Happy "x"'], [2, 3]],
    ['numbers', 'IncludesAll', [1, 2], [1]],
    ['numbers', 'IncludesAll', [], [1, 2]],
    ['numbers', 'IncludesNone', [3], [1, 2, 3]],
    ['numbers', 'IncludesNone', [1, 3], [2, 3]],
    ['numbers', 'Equal', [1, 2, null], [1]],
    ['numbers', 'NotEqual', [1, 2], [1, 2, 3]],
    ['numbers', 'IncludesAll', [1, null], [1]],
    ['names', 'IncludesAll', ['a,b', 'q"x', 'NULL'], [1]],
    ['moods', 'IncludesAll', ['ok'], [1]],
    ['prices', 'IncludesAll', ['1.1'], [1]],
    ['moments', 'IncludesAll', ['2024-01-01T01:00:00+01:00'], [1]],
    ['docs', 'IncludesAll', [{ x: 1 }], [1]],
  ])('%s %s %o finds the records it means', async (field, operator, value, expected) => {
    expect(await found(field, operator, value)).toEqual(expected);
  });
});

describe('a filter of a request for a number that JSON does not have', () => {
  const script = `
    create table gauges (id integer primary key, single real, twice double precision, loose numeric, numbers double precision[]);
    insert into gauges values (1, 'NaN', 'NaN', 'NaN', '{NaN,1}'), (2, 'Infinity', 'Infinity', 'Infinity', '{Infinity}'),
      (3, '-Infinity', '-Infinity', '-Infinity', '{}'), (4, 1.5, 1.5, 1.5, null);`;

  it.each([
    ['equal', 'NaN', [1]],
    ['not_equal', 'NaN', [2, 3, 4]],
    ['in', 'NaN, 1.5', [1, 4]],
    ['in', ['Infinity', '-Infinity'], [2, 3]],
    ['greater_than', '-Infinity', [1, 2, 4]],
    ['less_than', 'Infinity', [3, 4]],
  ])('finds the records that show it: %s %o', async (operator, value, expected) => {
    const { list, collections } = await server.openDataSource(script);
    const fields = collections[0]?.fields;
    const foundBy = async (field: string, wire: string, given: unknown) => {
      const where = parseConditionTree({ field, operator: wire, value: given }, (name) => columnOf(fields?.get(name)));
      const sort = [{ field: 'id', ascending: true }];
      const records = await list({ collection: 'gauges', projection: ['id'], where, sort }, context);
      return records.map(({ id }) => id);
    };
    for (const field of ['single', 'twice', 'loose']) expect(await foundBy(field, operator, value)).toEqual(expected);
    expect(await foundBy('numbers', 'includes_all', ['NaN', 1])).toEqual([1]);
  });
});

function columnOf(field: FieldSchema | undefined): ColumnSchema {
  if (field?.kind !== 'column') throw new TypeError('There is no such column.');
  return field;
}
