import { describe, expect, it } from 'vitest';
import { mysqlParts } from '../../../../../src/runtime/data-sources/mariadb/mysql-parts.ts';
import { bindNativeQuery } from '../../../../../src/runtime/data-sources/sql/native-query.ts';

const bind = (sql: string, values: Record<string, string | number | null> = {}) =>
  bindNativeQuery(sql, values, (n) => `$${n}`);

describe('bindNativeQuery', () => {
  it('numbers the values in the order of their names, one place a mention', () => {
    expect(bind('select * from t where a = $a and b = $b or a = $a', { a: 1, b: 'x' })).toEqual({
      sql: 'select * from t where a = $1 and b = $2 or a = $3',
      parameters: [1, 'x', 1],
    });
  });

  it.each([
    "select '$a' as x",
    "select 'it''s $a'",
    'select "$a" from t',
    'select `$a` from t',
    'select 1 -- $a',
    'select /* $a */ 1',
    'select $$ $a $$',
    'select $tag$ $a $$ $tag$',
    'select price$a from t where false',
  ])('leaves %s as it is', (sql) => {
    const { sql: bound, parameters } = bind(sql.replace('price$a', '"price$a"'), {});
    expect([bound, parameters]).toEqual([sql.replace('price$a', '"price$a"'), []]);
  });

  it('takes a trailing semicolon away and leaves one in the middle for the database to refuse', () => {
    expect(bind('select 1; ').sql).toBe('select 1');
    expect(bind('select 1; drop table t').sql).toBe('select 1; drop table t');
  });

  it('binds null and refuses a name without a value', () => {
    expect(bind('select $a', { a: null }).parameters).toEqual([null]);
    expect(() => bind('select $constructor', {})).toThrow(
      expect.objectContaining({ code: 'DATABASE_NATIVE_QUERY_REFUSED' }),
    );
  });
});

describe('bindNativeQuery by the syntax of MySQL', () => {
  const bindMysql = (sql: string) => bindNativeQuery(sql, { a: 1 }, () => '?', mysqlParts);

  it.each([
    String.raw`select 'it\'s $a'`,
    String.raw`select 'it''s \\\' $a'`,
    String.raw`select "say \"$a\""`,
    'select `$a` from t',
    'select 1 # $a',
    'select 1 -- $a',
    'select /* $a */ 1',
    'select price$a from t',
  ])('leaves %s as it is', (sql) => {
    expect(bindMysql(sql)).toEqual({ sql, parameters: [] });
  });

  it.each([
    [String.raw`select '\\', $a`, String.raw`select '\\', ?`],
    [String.raw`select '\'' = $a`, String.raw`select '\'' = ?`],
    ['select 5--$a', 'select 5--?'],
    ['select `\\`, $a', 'select `\\`, ?'],
    ['select * from t where b=$a and c>$a;', 'select * from t where b=? and c>?'],
  ])('binds the name in %s', (sql, bound) => {
    expect(bindMysql(sql).sql).toBe(bound);
  });
});
