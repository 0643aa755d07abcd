import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { PostgresParameters, PostgresPool } from '#kernel/ports/postgres-pool';
import { openPostgres } from '#node/postgres/open-postgres';
import { eventually } from '../../helpers/eventually.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  describeWithCertificates,
} from '../../helpers/server-certificates.ts';

const encryption = 'select ssl::text as ssl, version from pg_stat_ssl where pid = pg_backend_pid()';

describeWithCertificates('a connection to PostgreSQL that offers TLS', () => {
  const server = usePostgresServer();
  let authority: CertificateAuthority;
  let stranger: CertificateAuthority;

  beforeAll(async () => {
    [authority, stranger] = await Promise.all([createCertificateAuthority(), createCertificateAuthority()]);
    await present(['DNS:localhost', 'IP:127.0.0.1']);
  });
  afterAll(() => Promise.all([authority?.remove(), stranger?.remove()]));

  /** Have the server show a certificate for these names from now on. */
  async function present(names: readonly string[]): Promise<void> {
    const [folder] = await server.execute('postgres', 'show data_directory');
    const { uid } = await stat(String(folder?.['data_directory']));
    const { certificatePath, keyPath } = await authority.issue(names, uid);
    await server.execute('postgres', `alter system set ssl_cert_file = '${certificatePath}'`);
    await server.execute('postgres', `alter system set ssl_key_file = '${keyPath}'`);
    await server.execute('postgres', 'alter system set ssl = on');
    await server.execute('postgres', 'select pg_reload_conf()');
    await eventually(async () => {
      const [setting] = await server.execute('postgres', 'show ssl_cert_file');
      expect(setting).toEqual({ ssl_cert_file: certificatePath });
    });
  }

  function open(options: Partial<PostgresParameters> = {}): PostgresPool {
    const pool = openPostgres({ ...server.parameters(), ...options });
    onTestFinished(() => pool.close());
    return pool;
  }

  it.each([undefined, 'preferred', 'required'] as const)('is encrypted with SSL mode %s', async (sslMode) => {
    expect(await open({ sslMode }).all(encryption)).toEqual([{ ssl: 'true', version: 'TLSv1.3' }]);
  });

  it('is not encrypted with SSL mode disabled', async () => {
    expect(await open({ sslMode: 'disabled' }).all(encryption)).toEqual([{ ssl: 'false', version: null }]);
  });

  it.each(['localhost', '127.0.0.1'])('is encrypted and verified on %s with the right authority', async (host) => {
    const pool = open({ host, sslMode: 'verify', sslCertificateAuthority: authority.certificate });
    expect(await pool.all(encryption)).toEqual([{ ssl: 'true', version: 'TLSv1.3' }]);
  });

  it.each<[string, () => Partial<PostgresParameters>]>([
    ['another authority', () => ({ sslCertificateAuthority: stranger.certificate })],
    ['the authorities of the system', () => ({})],
    ['an authority that cannot be read', () => ({ sslCertificateAuthority: 'not a certificate' })],
    // The loopback by a name that the certificate does not hold: the short form of its address.
    ['another host name', () => ({ host: '127.1', sslCertificateAuthority: authority.certificate })],
  ])('fails when it is verified against %s, and tells no secret', async (_what, options) => {
    const pool = open({ sslMode: 'verify', ...options() });
    const failure: unknown = await pool.all(encryption).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'DATABASE_TLS_FAILED' });
    expect(String(failure)).not.toContain(server.parameters().password);
    expect(pool.openConnections()).toBe(0);
  });

  it('fails for an address when the certificate holds only a name', async () => {
    await present(['DNS:localhost']);
    onTestFinished(() => present(['DNS:localhost', 'IP:127.0.0.1']));
    const options = { sslMode: 'verify', sslCertificateAuthority: authority.certificate } as const;
    expect(await open({ ...options, host: 'localhost' }).all(encryption)).toMatchObject([{ ssl: 'true' }]);
    await expect(open({ ...options, host: '127.0.0.1' }).all(encryption)).rejects.toMatchObject({
      code: 'DATABASE_TLS_FAILED',
    });
  });

  it.each(['required', 'verify'] as const)('cancels an aborted query in the database (%s)', async (sslMode) => {
    const pool = open({ host: 'localhost', sslMode, sslCertificateAuthority: authority.certificate, poolSize: 1 });
    const aborting = new AbortController();
    const answer = pool.all(`select pg_sleep(60) /* ${sslMode} */`, [], { signal: aborting.signal });
    answer.catch(() => undefined);
    const running = `select count(*)::int as count from pg_stat_activity
      where state = 'active' and query like '%/* ${sslMode} */%' and pid <> pg_backend_pid()`;
    const count = async () => (await server.execute('postgres', running))[0]?.['count'];
    await expect.poll(count).toBe(1);
    aborting.abort();
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect.poll(count).toBe(0);
    // The connection itself was not given up: the cancellation was delivered.
    expect(pool.openConnections()).toBe(1);
    expect(await pool.all(encryption)).toMatchObject([{ ssl: 'true' }]);
  });
});
