import { describe, expect, it } from 'vitest';
import { checkEnums } from '#runtime/data-sources/sqlite/sqlite-columns';

const enumsOf = (columns: string) => Object.fromEntries(checkEnums(`create table t (${columns})`));

describe('checkEnums', () => {
  it.each([
    ["a text check (a in ('x', 'y'))", { a: ['x', 'y'] }],
    [`"A b" text, CHECK ((("A b") IN ('it''s')))`, {}],
    [`"A b" text, CHECK (("A b" IN ('it''s', 'x)')))`, { 'a b': ["it's", 'x)'] }],
    ["a text check (a is null or a in ('x'))", { a: ['x'] }],
    ["a text check (a in ('x') or a is null)", { a: ['x'] }],
    ["a text check (A is null or (a in ('x')))", { a: ['x'] }],
    ["a text /* check (b in ('no')) */ check (a in ('x')) -- check (c in ('no'))", { a: ['x'] }],
    ["`a` text, [b] text, check (`a` in ('x')), check ([b] in ('y'))", { a: ['x'], b: ['y'] }],
  ])('reads %s', (columns, expected) => {
    expect(enumsOf(columns)).toEqual(expected);
  });

  it.each([
    "a text check (a not in ('x'))",
    "a text check (a in ('x') and length(a) > 1)",
    'a int check (a in (1, 2))',
    "a text, b text, check (b is null or a in ('x'))",
    "a text, b text, check (a in ('x') or b is null)",
    'a text check (a in (select name from b))',
    "a text check (lower(a) in ('x'))",
    "a text default 'check (a in (''x''))'",
    'a text check (a > 0',
  ])('takes %s for no list of values', (columns) => {
    expect(enumsOf(columns)).toEqual({});
  });
});
