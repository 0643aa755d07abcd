import { copyFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type MysqlDatabase, type MysqlParameters, openMysql } from '#node/mysql/open-mysql';
import { describeOnMysqlFamily, endless, type FamilyMember } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  describeWithCertificates,
  type ServerCertificate,
} from '../../helpers/server-certificates.ts';

const cipher = "show session status like 'Ssl_cipher'";
const encrypted = [{ Variable_name: 'Ssl_cipher', Value: expect.stringMatching(/^TLS_/) }];

function suite(member: FamilyMember): void {
  let server: MysqlFamilyServer;
  let authority: CertificateAuthority;
  let stranger: CertificateAuthority;
  let shown: ServerCertificate;

  beforeAll(async () => {
    [authority, stranger] = await Promise.all([createCertificateAuthority(), createCertificateAuthority()]);
    shown = await authority.issue(['DNS:localhost', 'IP:127.0.0.1']);
    server = await member.start([
      `--ssl-ca=${authority.certificatePath}`,
      `--ssl-cert=${shown.certificatePath}`,
      `--ssl-key=${shown.keyPath}`,
    ]);
    await server.createDatabase('shop');
  });
  afterAll(async () => {
    await server?.stop();
    await Promise.all([authority?.remove(), stranger?.remove()]);
  });

  async function open(changes: Partial<MysqlParameters> = {}): Promise<MysqlDatabase> {
    const { host, port, user, password } = server;
    const database = await openMysql({ host, port, user, password, database: 'shop', ...changes });
    onTestFinished(() => database.close());
    return database;
  }

  /** Have the server show a certificate for these names from now on. */
  async function present(names: readonly string[]): Promise<void> {
    const { certificatePath, keyPath } = await authority.issue(names);
    await copyFile(certificatePath, shown.certificatePath);
    await copyFile(keyPath, shown.keyPath);
    const admin = await server.connect();
    await admin.query(member.dialect === 'mysql' ? 'alter instance reload tls' : 'flush ssl');
    await admin.end();
  }

  it.each([undefined, 'preferred', 'required'] as const)('is encrypted with SSL mode %s', async (sslMode) => {
    expect(await (await open({ sslMode })).all(cipher, [])).toEqual(encrypted);
  });

  it.each(['disabled', 'required'] as const)('is closed without a wait with SSL mode %s', async (sslMode) => {
    const database = await open({ sslMode, connectTimeoutMs: 60 * 60_000 });
    await database.all(cipher, []);
    // The test would end long before the driver gives up on the server.
    await database.close();
    expect(database.openConnections()).toBe(0);
  });

  it('is not encrypted with SSL mode disabled', async () => {
    const database = await open({ sslMode: 'disabled' });
    expect(await database.all(cipher, [])).toEqual([{ Variable_name: 'Ssl_cipher', Value: '' }]);
  });

  it.each(['localhost', '127.0.0.1'])('is encrypted and verified on %s with the right authority', async (host) => {
    const database = await open({ host, sslMode: 'verify', sslAuthorities: authority.certificate });
    expect(await database.all(cipher, [])).toEqual(encrypted);
  });

  it('checks with SSL mode verify-ca who has signed, and the name too where everybody may sign', async () => {
    const options = { host: '127.1', sslMode: 'verify-ca' } as const;
    const database = await open({ ...options, sslAuthorities: authority.certificate });
    expect(await database.all(cipher, [])).toEqual(encrypted);
    for (const sslAuthorities of [stranger.certificate, undefined]) {
      const refused = await open({ ...options, sslAuthorities });
      await expect(refused.all(cipher, [])).rejects.toMatchObject({ code: 'DATABASE_TLS_FAILED' });
    }
  });

  it.each<[string, () => Partial<MysqlParameters>]>([
    ['another authority', () => ({ sslAuthorities: stranger.certificate })],
    ['the authorities of the system', () => ({})],
    ['an authority that cannot be read', () => ({ sslAuthorities: 'not a certificate' })],
    // The loopback by a name that the certificate does not hold: the short form of its address.
    ['another host name', () => ({ host: '127.1', sslAuthorities: authority.certificate })],
  ])('fails when it is verified against %s, and tells no secret', async (_what, changes) => {
    const database = await open({ sslMode: 'verify', ...changes() });
    const failure: unknown = await database.all(cipher, []).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'DATABASE_TLS_FAILED' });
    expect(String(failure)).not.toContain(server.password);
    expect(database.openConnections()).toBe(0);
  });

  it.each([
    ['an address', '127.0.0.1', 'the certificate holds only a name', 'DNS:localhost'],
    ['a name', 'localhost', 'the certificate holds only an address', 'IP:127.0.0.1'],
  ])('fails when %s (%s) is verified and %s', async (_what, host, _but, name) => {
    await present([name]);
    onTestFinished(() => present(['DNS:localhost', 'IP:127.0.0.1']));
    const options = { sslMode: 'verify', sslAuthorities: authority.certificate } as const;
    const named = await open({ ...options, host: name.slice(name.indexOf(':') + 1) });
    expect(await named.all(cipher, [])).toEqual(encrypted);
    const other = await open({ ...options, host });
    await expect(other.all(cipher, [])).rejects.toMatchObject({ code: 'DATABASE_TLS_FAILED' });
  });

  it.each(['required', 'verify'] as const)('cancels an aborted query in the database (%s)', async (sslMode) => {
    const database = await open({ sslMode, sslAuthorities: authority.certificate, poolSize: 1 });
    const aborting = new AbortController();
    const answer = database.all(endless, [], { signal: aborting.signal });
    answer.catch(() => undefined);
    const admin = await server.connect();
    onTestFinished(() => admin.end());
    const running = "select count(*) as count from information_schema.processlist where info like 'select /* endless%'";
    const count = async () => ((await admin.query(running))[0] as { count: number }[])[0]?.count;
    await expect.poll(count).toBe(1);
    aborting.abort();
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect.poll(count).toBe(0);
    expect(await database.all(cipher, [])).toEqual(encrypted);
  });
}

describeOnMysqlFamily('a connection', (member) => describeWithCertificates('that offers TLS', () => suite(member)));
