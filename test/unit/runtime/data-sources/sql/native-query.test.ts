import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mysqlSyntax } from '#runtime/data-sources/mariadb/mariadb-dialect';
import { postgresSyntax } from '#runtime/data-sources/postgres/open-postgres-engine';
import { bindNativeQuery, type NativeSyntax } from '#runtime/data-sources/sql/native-query';
import { sqliteSyntax } from '#runtime/data-sources/sqlite/sqlite-dialect';

const engines: readonly (readonly [string, NativeSyntax])[] = [
  ['PostgreSQL', postgresSyntax],
  ['MariaDB', mysqlSyntax],
  ['SQLite', sqliteSyntax],
];

describe.each(engines)('the names in a native query for %s', (_engine, syntax) => {
  const bind = (sql: string, values = {}) => bindNativeQuery(sql, values, syntax);

  it.each(["select '$a' as x", "select 'it''s $a'", 'select "$a""$a" from t', 'select 1 -- $a', 'select /* $a */ 1'])(
    'are left alone where they are not names: %s',
    (sql) => {
      expect(bind(sql)).toEqual({ sql, parameters: [] });
      expect(bind('select price$a from t')).toEqual({ sql: 'select price$a from t', parameters: [] });
    },
  );

  it('take null for a value, and are refused without one', () => {
    expect(bind('select $a', { a: null }).parameters).toEqual([null]);
    expect(() => bind('select $constructor')).toThrow(
      expect.objectContaining({ code: 'DATABASE_NATIVE_QUERY_REFUSED' }),
    );
  });

  it('leave a semicolon in the middle for the database to refuse', () => {
    expect(bind('select 1; ').sql).toBe('select 1');
    expect(bind('select 1; drop table t').sql).toBe('select 1; drop table t');
  });

  it('are looked for once in a text, whatever is left open in it', () => {
    const pieces = ['/*', '*/', "'", '"', '`', '$$', '$t$', '$', 'e', '\\', '--', '\n', ' ', 'x'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces)), (drawn) => {
        const passedOver = drawn.join('').replaceAll(syntax.parts, ' ');
        expect(passedOver).not.toMatch(/['"]|\/\*/);
      }),
    );
  });

  // Three million signs took eight minutes when each opening was searched to the end.
  it.each(['/* ', '\'"', 'e\'\\"', '"\'', '`\'"', '$a$ $b$ /* ', '[ /*'])('are found in a long text of %j', (piece) => {
    const text = `select $a ${piece.repeat(3_000_000 / piece.length)}`;
    expect(bind(text, { a: 1, b: 2 }).parameters[0]).toBe(1);
  });
});

describe('the names in a native query', () => {
  it('become numbers for PostgreSQL, the same for the same name', () => {
    expect(bindNativeQuery('select $a, $b, $a::text', { a: 1, b: 'x', c: 2 }, postgresSyntax)).toEqual({
      sql: 'select $1, $2, $1::text',
      parameters: [1, 'x'],
    });
  });

  it('become question marks elsewhere, one for each mention', () => {
    expect(bindNativeQuery('select $a, $b, $a', { a: 1, b: 'x' }, sqliteSyntax)).toEqual({
      sql: 'select ?, ?, ?',
      parameters: [1, 'x', 1],
    });
  });

  it.each(["select E'\\'$a'", 'select $$ $a $$', 'select $tag$ $a $$ $tag$'])(
    'are left alone where they are not names for PostgreSQL: %s',
    (sql) => {
      expect(bindNativeQuery(sql, {}, postgresSyntax)).toEqual({ sql, parameters: [] });
    },
  );

  it.each(['select `$a` from t', 'select `a``$a` from t', 'select [$a] from t'])(
    'are left alone where they are not names for SQLite: %s',
    (sql) => {
      expect(bindNativeQuery(sql, {}, sqliteSyntax)).toEqual({ sql, parameters: [] });
    },
  );
});

describe('the names in a native query for MariaDB', () => {
  const bind = (sql: string) => bindNativeQuery(sql, { a: 1 }, mysqlSyntax);

  it.each([
    String.raw`select 'it\'s $a'`,
    String.raw`select 'it''s \\\' $a'`,
    String.raw`select "say \"$a\""`,
    'select `$a` from t',
    'select 1 # $a',
  ])('are left alone where they are not names: %s', (sql) => {
    expect(bind(sql)).toEqual({ sql, parameters: [] });
  });

  it.each([
    [String.raw`select '\\', $a`, String.raw`select '\\', ?`],
    [String.raw`select '\'' = $a`, String.raw`select '\'' = ?`],
    ['select 5--$a', 'select 5--?'],
    ['select `\\`, $a', 'select `\\`, ?'],
    ['select * from t where b=$a and c>$a;', 'select * from t where b=? and c>?'],
  ])('are bound in %s', (sql, bound) => {
    expect(bind(sql).sql).toBe(bound);
  });
});
