import { describe, expect, it } from 'vitest';
import { literalDefault } from '#runtime/data-sources/postgres/postgres-columns';

describe('a default of PostgreSQL', () => {
  it.each<[string, Parameters<typeof literalDefault>[1], boolean, unknown]>([
    ["'it''s'::text", 'String', false, "it's"],
    ['\'a\'::public."Mood"', 'Enum', false, 'a'],
    ['now()', 'Date', false, undefined],
    ["('a'::text || 'b'::text)", 'String', false, undefined],
    ['NULL::character varying', 'String', false, undefined],
    ['0', 'Number', false, 0],
    ["'-1'::integer", 'Number', false, -1],
    ['(-1)', 'Number', false, -1],
    ['0.10', 'Number', true, '0.10'],
    ["'9007199254740993'::bigint", 'Number', true, '9007199254740993'],
    ['(1 + 2)', 'Number', false, undefined],
    ['true', 'Boolean', false, true],
    ['\'{"a": 1}\'::jsonb', 'Json', false, { a: 1 }],
    ["'2024-02-29'::date", 'Dateonly', false, '2024-02-29'],
    ["'tomorrow'::date", 'Dateonly', false, undefined],
  ])('%s of a %s', (sql, type, isExact, value) => {
    expect(literalDefault(sql, type, isExact)).toEqual(value);
  });
});
