import { describe, expect, it } from 'vitest';
import { resolveSqlConnection } from '#runtime/data-sources/sql/sql-connection-params';

describe('resolveSqlConnection', () => {
  it.each([
    ['sqlite:./shop.sqlite', '/project/shop.sqlite'],
    ['sqlite:shop.sqlite', '/project/shop.sqlite'],
    ['sqlite://./shop.sqlite', '/project/shop.sqlite'],
    ['sqlite:///var/data/shop.sqlite', '/var/data/shop.sqlite'],
    ['sqlite:/var/data/shop.sqlite', '/var/data/shop.sqlite'],
    ['SQLITE:my%20shop.sqlite', '/project/my shop.sqlite'],
  ])('reads %s as %s', (uri, storage) => {
    expect(resolveSqlConnection(uri, '/project')).toEqual({ dialect: 'sqlite', storage });
  });

  it('takes parts as well', () => {
    expect(resolveSqlConnection({ dialect: 'sqlite', storage: 'a%20b' }, '/project').storage).toBe('/project/a%20b');
  });

  it.each(['', 'shop.sqlite', 'sqlite:', 'oracle://user:hunter2@host/db', 'sqlite:%zz'])(
    'refuses "%s" without repeating it',
    (uri) => {
      expect(() => resolveSqlConnection(uri, '/project')).toThrow(
        expect.objectContaining({ code: 'DATABASE_URI_INVALID', message: expect.not.stringContaining('hunter2') }),
      );
    },
  );
});
