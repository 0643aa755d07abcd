import { describe, expect, it } from 'vitest';
import { toPositional } from '#runtime/data-sources/postgres/native-query';

describe('the names in a native query', () => {
  it('become positions, the same for the same name', () => {
    expect(toPositional('select $a, $b, $a::text', { a: 1, b: 'x', c: 2 })).toEqual({
      sql: 'select $1, $2, $1::text',
      values: [1, 'x'],
    });
  });

  it.each([
    "select '$a''$a'",
    "select E'\\'$a'",
    'select "$a""$a"',
    'select 1 -- $a',
    'select /* $a */ 1',
    'select $$ $a $$',
    'select $tag$ $a $$ $tag$',
    'select col$a',
  ])('are left alone where they are none: %s', (sql) => {
    expect(toPositional(sql, {})).toEqual({ sql, values: [] });
  });

  it('need a value', () => {
    expect(() => toPositional('select $toString', {})).toThrow(
      expect.objectContaining({ code: 'DATABASE_NATIVE_QUERY_REFUSED' }),
    );
  });
});
