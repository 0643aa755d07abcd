import { describe, expect, it } from 'vitest';
import { resolveSqlConnection } from '#node/database/sql-connection-params';

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

  it('reads files from the folder that relative paths start from', () => {
    expect(resolveSqlConnection('postgres://h/d?sslrootcert=certs/ca.pem', '/project')).toMatchObject({
      sslMode: 'verify-ca',
      sslFiles: { authority: '/project/certs/ca.pem' },
    });
  });

  it('takes parts as well', () => {
    const storage = '/project/a%20b';
    expect(resolveSqlConnection({ dialect: 'sqlite', storage: 'a%20b' }, '/project')).toEqual({
      dialect: 'sqlite',
      storage,
    });
    const server = { dialect: 'postgres', host: 'db', database: 'shop' } as const;
    expect(resolveSqlConnection(server)).toEqual(server);
  });

  it.each([
    [
      'postgres://app:p%40ss@db.internal:6543/shop',
      { dialect: 'postgres', host: 'db.internal', port: 6543, database: 'shop', username: 'app', password: 'p@ss' },
    ],
    ['postgresql:///shop', { dialect: 'postgres', host: '127.0.0.1', database: 'shop' }],
    ['mariadb://root@[::1]/my%20shop', { dialect: 'mariadb', host: '::1', database: 'my shop', username: 'root' }],
    ['mysql://h/d', { dialect: 'mysql', host: 'h', database: 'd' }],
    ['postgres://h/d?sslmode=require', { dialect: 'postgres', host: 'h', database: 'd', sslMode: 'required' }],
    ['postgres://h/d?SSLMode=verify-full', { dialect: 'postgres', host: 'h', database: 'd', sslMode: 'verify' }],
    ['mysql://h/d?ssl-mode=DISABLED', { dialect: 'mysql', host: 'h', database: 'd', sslMode: 'disabled' }],
    [
      'postgres://h/d?sslmode=require&channel_binding=prefer&pgbouncer=true&application_name=my%20shop&connect_timeout=15',
      {
        ...{ dialect: 'postgres', host: 'h', database: 'd', sslMode: 'required', channelBinding: 'prefer' },
        ...{ preparedStatements: false, applicationName: 'my shop', connectTimeoutMs: 15_000 },
      },
    ],
    [
      'postgres://h/d?sslmode=require&channel_binding=require',
      { dialect: 'postgres', host: 'h', database: 'd', sslMode: 'required', channelBinding: 'require' },
    ],
    ['postgres://h/d?sslrootcert=system', { dialect: 'postgres', host: 'h', database: 'd', sslMode: 'verify' }],
    ['mysql://h/d?ssl-mode=VERIFY_CA', { dialect: 'mysql', host: 'h', database: 'd', sslMode: 'verify-ca' }],
    [
      'postgres://h/d?sslmode=require&sslrootcert=/etc/c%61.pem',
      { dialect: 'postgres', host: 'h', database: 'd', sslMode: 'verify-ca', sslFiles: { authority: '/etc/ca.pem' } },
    ],
    [
      'postgres://h/d?sslmode=disable&sslrootcert=/etc/ca.pem',
      { dialect: 'postgres', host: 'h', database: 'd', sslMode: 'disabled', sslFiles: { authority: '/etc/ca.pem' } },
    ],
    [
      'postgres://h/d?sslmode=verify-full&sslrootcert=/a&sslcert=/b&sslkey=/c',
      {
        ...{ dialect: 'postgres', host: 'h', database: 'd', sslMode: 'verify' },
        sslFiles: { authority: '/a', certificate: '/b', key: '/c' },
      },
    ],
    ['postgres://h/d?pgbouncer=false', { dialect: 'postgres', host: 'h', database: 'd' }],
    ['mysql://h/d?connect_timeout=3', { dialect: 'mysql', host: 'h', database: 'd', connectTimeoutMs: 3000 }],
    [
      'pg://h/d?schema=public,bil%20ling',
      { dialect: 'postgres', host: 'h', database: 'd', schemas: ['public', 'bil ling'] },
    ],
    [
      'postgres://app:p%40s,s@db1,db2:5433,[::1]:5434/shop?target_session_attrs=read-write',
      {
        ...{
          dialect: 'postgres',
          host: 'db1,db2:5433,[::1]:5434',
          database: 'shop',
          username: 'app',
          password: 'p@s,s',
        },
        target: 'read-write',
      },
    ],
  ])('reads %s', (uri, parameters) => {
    expect(resolveSqlConnection(uri)).toEqual(parameters);
  });

  it.each([
    '',
    'shop.sqlite',
    'sqlite:',
    'oracle://user:hunter2@host/db',
    'sqlite:%zz',
    'postgres://u:hunter2@h',
    'postgres://u:hunter2@h/d?sslmode=off',
    'postgres://u:hunter2@h/d?sslmode=constructor',
    'postgres://u:hunter2@h/d?password=hunter2',
    'postgres://u:hun#ter2@h:x/d',
    'postgres://u:hunter2@a,b:x/d',
    'postgres://u:hunter2@a,/d',
    'postgres://u:hunter2@a,b/d?target_session_attrs=standby',
    'mysql://u:hunter2@a,b/d',
    'mysql://u:hunter2@a/d?target_session_attrs=any',
    'postgres://u:hunter2@h/d?connect_timeout=0',
    'postgres://u:hunter2@h/d?pgbouncer=hunter2',
    'postgres://u:hunter2@h/d?channel_binding=hunter2',
    'mysql://u:hunter2@h/d?pgbouncer=true',
    'postgres://u:hunter2@h/d?constructor=1',
    'mysql://u:hunter2@h/d?sslrootcert=/ca.pem',
  ])('refuses "%s" without repeating it', (uri) => {
    expect(() => resolveSqlConnection(uri, '/project')).toThrow(
      expect.objectContaining({ code: 'DATABASE_URI_INVALID', message: expect.not.stringContaining('hunter2') }),
    );
  });

  it.each([
    ['channel_binding', 'always', 'Leave "channel_binding" out of the connection URI.'],
    ['sslrootcert', '', 'Leave "sslrootcert" out of the connection URI.'],
    ['sslcert', '/client.pem', 'Leave "sslcert" out of the connection URI, or add "sslkey=<file>"'],
    ['sslkey', '/client.key', 'Leave "sslkey" out of the connection URI, or add "sslcert=<file>"'],
    [
      'sslrootcert',
      'system&sslmode=require',
      'Leave "sslrootcert" out of the connection URI, or write "sslmode=verify-full"',
    ],
    ['pool_timeout', '10', 'Leave "pool_timeout" out of the connection URI.'],
  ])('says to leave out %s=%s', (name, value, step) => {
    expect(() => resolveSqlConnection(`postgres://h/d?${name}=${value}`)).toThrow(
      expect.objectContaining({
        code: 'DATABASE_URI_INVALID',
        message: expect.stringContaining(`"${name}`),
        nextSteps: [expect.stringContaining(step)],
      }),
    );
  });
});
