import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type MysqlParameters, openMysql } from '#node/mysql/open-mysql';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

interface Refusal {
  readonly what: string;
  /** Statements of the administrator before the login, and after it. */
  readonly before: readonly string[];
  readonly after?: readonly string[];
  readonly wrongLogins?: number;
  readonly code: string;
  readonly message: RegExp;
  readonly name: string;
}

const create = "create or replace user clerk identified by 'secret sauce'";
const grant = 'grant all on shop.* to clerk';
const everywhere: readonly Refusal[] = [
  {
    what: 'a locked account',
    before: ['alter user clerk account lock'],
    code: 'DATABASE_AUTHENTICATION_FAILED',
    message: /account is locked/,
    name: 'ER_ACCOUNT_HAS_BEEN_LOCKED',
  },
  {
    what: 'an expired password',
    before: ['alter user clerk password expire'],
    code: 'DATABASE_AUTHENTICATION_FAILED',
    message: /password has expired/,
    name: 'ER_MUST_CHANGE_PASSWORD',
  },
  {
    what: 'no right on the database',
    before: ['revoke all privileges on shop.* from clerk'],
    code: 'DATABASE_PERMISSION_DENIED',
    message: /no right on the database/,
    name: 'ER_DBACCESS_DENIED_ERROR',
  },
  {
    what: 'an account that demands TLS',
    before: ['alter user clerk require ssl'],
    code: 'DATABASE_AUTHENTICATION_FAILED',
    message: /demands TLS/,
    name: 'ER_ACCESS_DENIED_ERROR',
  },
];
const onMysql: readonly Refusal[] = [
  {
    what: 'an account that is blocked after wrong passwords',
    before: ['alter user clerk failed_login_attempts 1 password_lock_time 1'],
    wrongLogins: 1,
    code: 'DATABASE_AUTHENTICATION_FAILED',
    message: /blocked after too many wrong passwords/,
    name: 'ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK',
  },
  {
    what: 'a server that demands TLS',
    before: ['set global require_secure_transport = on'],
    after: ['set global require_secure_transport = off'],
    code: 'DATABASE_TLS_FAILED',
    message: /encrypted connections only/,
    name: 'ER_SECURE_TRANSPORT_REQUIRED',
  },
];
const onMariadb: readonly Refusal[] = [
  {
    what: 'an account that is blocked after wrong passwords',
    before: ['set global max_password_errors = 1'],
    after: ['set global max_password_errors = default', 'flush privileges'],
    wrongLogins: 2,
    code: 'DATABASE_AUTHENTICATION_FAILED',
    message: /blocked after too many wrong passwords/,
    name: 'ER_USER_IS_BLOCKED',
  },
  {
    what: 'a method that the driver does not have',
    before: [
      "install soname 'auth_ed25519'",
      "create or replace user clerk identified via ed25519 using password('secret sauce')",
      grant,
    ],
    after: ["uninstall soname 'auth_ed25519'"],
    code: 'DATABASE_AUTHENTICATION_FAILED',
    message: /method that this driver does not have/,
    name: 'AUTH_SWITCH_PLUGIN_ERROR',
  },
];

describeOnMysqlFamily('A refused login', (member) => {
  let server: MysqlFamilyServer;
  beforeAll(async () => {
    server = await member.start();
    await server.createDatabase('shop');
  });
  afterAll(() => server?.stop());

  async function asAdministrator(statements: readonly string[]): Promise<void> {
    const admin = await server.connect();
    try {
      for (const statement of statements) await admin.query(statement);
    } finally {
      await admin.end();
    }
  }

  async function failureOf(changes: Partial<MysqlParameters> = {}): Promise<unknown> {
    const { host, port } = server;
    const database = await openMysql({
      host,
      port,
      user: 'clerk',
      password: 'secret sauce',
      database: 'shop',
      ...changes,
    });
    onTestFinished(() => database.close());
    return database.all('select 1 as one', []).catch((error: unknown) => error);
  }

  it.each([...everywhere, ...(member.dialect === 'mysql' ? onMysql : onMariadb)])(
    'tells of $what, and no secret',
    async ({ before, after = [], wrongLogins = 0, code, message, name }) => {
      const fresh =
        member.dialect === 'mysql' ? ['drop user if exists clerk', create.replace('or replace ', '')] : [create];
      await asAdministrator([...fresh, grant, ...before]);
      onTestFinished(() => asAdministrator(after));
      for (let login = 0; login < wrongLogins; login++) await failureOf({ password: 'wrong' });
      const failure = await failureOf();
      expect(failure).toMatchObject({
        code,
        message: expect.stringMatching(message),
        safeDetails: { mysqlError: expect.stringContaining(name) },
      });
      expect(JSON.stringify(failure) + String(failure)).not.toMatch(/secret sauce|clerk/);
    },
  );
});
