import { chmod, chown, copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { PostgresParameters, PostgresPool } from '#kernel/ports/postgres-pool';
import { resolveSqlConnection, type ServerConnectionParams } from '#node/database/sql-connection-params';
import { openPostgres } from '#node/postgres/open-postgres';
import { openStore } from '#platform/store/open-store';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { eventually } from '../../helpers/eventually.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  describeWithCertificates,
  type ServerCertificate,
} from '../../helpers/server-certificates.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const encryption = 'select ssl::text as ssl, version from pg_stat_ssl where pid = pg_backend_pid()';

function serverAddress(uri: string): ServerConnectionParams {
  const address = resolveSqlConnection(uri);
  if (address.dialect === 'sqlite') throw new Error('It is the address of a server.');
  return address;
}

/** A message of the server about how to log in. */
function authentication(kind: number, data = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.write('R');
  head.writeInt32BE(8 + data.length, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, data]);
}

const ready = Buffer.from('5a0000000549', 'hex');

/** Somebody in the place of a server on a free port, with a certificate of their own. */
async function startPeer({ certificatePath, keyPath }: ServerCertificate, onChannel: (channel: TLSSocket) => void) {
  const [cert, key] = await Promise.all([readFile(certificatePath), readFile(keyPath)]);
  const peer = createServer((socket: Socket) => {
    // A client that cuts the connection is what is tested.
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const channel = new TLSSocket(socket, { isServer: true, cert, key });
      channel.on('error', () => undefined);
      onChannel(channel);
    });
  });
  await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => peer.close(() => resolve())));
  return (peer.address() as AddressInfo).port;
}

/** Passes on what a server and its client say, and could read it. */
function passOn(channel: TLSSocket, port: number): void {
  const socket = connectSocket({ host: '127.0.0.1', port });
  socket.write(Buffer.from('0000000804d2162f', 'hex'));
  socket.once('data', () => {
    const server = connectTls({ socket, rejectUnauthorized: false });
    server.on('error', () => undefined);
    channel.on('close', () => server.destroy());
    channel.pipe(server).pipe(channel);
  });
}

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

  describe('as an address says it', () => {
    const addressOf = (words: string, host = 'localhost') => {
      const { user, password = '' } = server.parameters();
      return `postgres://${user}:${encodeURIComponent(password)}@${host}:${server.port}/postgres?${words}`;
    };
    const openAt = (words: string, host?: string) => {
      const { dialect: _dialect, username: user, ...address } = serverAddress(addressOf(words, host));
      const pool = openPostgres({ ...address, user });
      onTestFinished(() => pool.close());
      return pool;
    };
    // The loopback by a name that the certificate does not hold.
    const otherName = '127.1';

    it.each(['channel_binding=require', 'channel_binding=prefer', 'sslmode=require&channel_binding=require'])(
      'binds the login to the channel with %s',
      async (words) => {
        expect(await openAt(words).all(encryption)).toEqual([{ ssl: 'true', version: 'TLSv1.3' }]);
      },
    );

    it('refuses channel_binding=require where nothing is encrypted', async () => {
      await expect(openAt('sslmode=disable&channel_binding=require').all('select 1')).rejects.toMatchObject({
        code: 'DATABASE_TLS_FAILED',
        message: expect.stringContaining('the connection is not encrypted'),
      });
    });

    it.each(['sslmode=require', 'sslmode=verify-ca', 'sslmode=prefer', 'application_name=x'])(
      'checks who has signed the certificate with %s and a file, and not the name',
      async (words) => {
        const trusted = openAt(`${words}&sslrootcert=${authority.certificatePath}`, otherName);
        expect(await trusted.all(encryption)).toMatchObject([{ ssl: 'true' }]);
        await expect(
          openAt(`${words}&sslrootcert=${stranger.certificatePath}`, otherName).all('select 1'),
        ).rejects.toMatchObject({ code: 'DATABASE_TLS_FAILED' });
      },
    );

    it('checks the name too with verify-full, and without a file of authorities', async () => {
      const file = `sslrootcert=${authority.certificatePath}`;
      expect(await openAt(`sslmode=verify-full&${file}`).all(encryption)).toMatchObject([{ ssl: 'true' }]);
      for (const words of [`sslmode=verify-full&${file}`, 'sslmode=verify-ca', 'sslrootcert=system']) {
        await expect(openAt(words, otherName).all('select 1')).rejects.toMatchObject({ code: 'DATABASE_TLS_FAILED' });
      }
    });

    it('shows the certificate of the client', async () => {
      const { certificatePath, keyPath } = await authority.issue(['DNS:client']);
      const [folder] = await server.execute('postgres', 'show data_directory');
      const { uid } = await stat(String(folder?.['data_directory']));
      const copy = join(await temporaryFolder(), 'ca.pem');
      await copyFile(authority.certificatePath, copy);
      await chown(copy, uid, -1);
      await chmod(dirname(copy), 0o755);
      await server.execute('postgres', `alter system set ssl_ca_file = '${copy}'`);
      await server.execute('postgres', 'select pg_reload_conf()');
      onTestFinished(async () => {
        await server.execute('postgres', 'alter system reset ssl_ca_file');
        await server.execute('postgres', 'select pg_reload_conf()');
      });
      const shown = 'select client_dn as name from pg_stat_ssl where pid = pg_backend_pid()';
      await eventually(async () => {
        const [row] = await openAt(`sslcert=${certificatePath}&sslkey=${keyPath}`).all(shown);
        expect(row?.['name']).toMatch(/^\/CN=server-\d+$/);
      });
    });

    it('says which file it cannot use', async () => {
      const { certificatePath } = await authority.issue(['DNS:client']);
      const { keyPath } = await stranger.issue(['DNS:client']);
      const empty = join(await temporaryFolder(), 'empty.pem');
      await writeFile(empty, 'nothing');
      for (const [words, message] of [
        ['sslrootcert=/nowhere/ca.pem', 'The file of "sslrootcert" cannot be read (ENOENT): /nowhere/ca.pem'],
        [`sslrootcert=${empty}`, `The file of "sslrootcert" is not a text in PEM: ${empty}`],
        [
          `sslcert=${certificatePath}&sslkey=${keyPath}`,
          'The files of "sslcert" and "sslkey" are not a certificate and its key',
        ],
      ] as const) {
        await expect(openAt(words).all('select 1')).rejects.toMatchObject({
          code: 'DATABASE_TLS_FAILED',
          message: expect.stringContaining(message),
          nextSteps: [expect.stringContaining('Correct the file in the address')],
        });
      }
    });

    it('holds for data sources and for the store', async () => {
      const words = `sslmode=require&channel_binding=require&sslrootcert=`;
      for (const [file, isTrusted] of [
        [authority.certificatePath, true],
        [stranger.certificatePath, false],
      ] as const) {
        const address = addressOf(`${words}${file}`, otherName);
        const openings = [() => createSqlDataSource(address, { startupTimeoutMs: 0 })(), () => openStore(address)];
        for (const open of openings) {
          if (isTrusted) await (await open()).close();
          else await expect(open()).rejects.toThrow(/certificate/);
        }
      }
    });
  });

  it.each([
    ['asks for the password itself', [authentication(3)], 'in a way that cannot be tied'],
    ['asks for it with MD5', [authentication(5, Buffer.from('salt'))], 'in a way that cannot be tied'],
    ['offers a login without binding', [authentication(10, Buffer.from('SCRAM-SHA-256\0\0'))], 'does not offer that'],
    ['lets everybody in', [authentication(0), ready], 'lets everybody in'],
  ] as const)('gives nothing to a server that %s, where channel_binding is "require"', async (_what, says, reason) => {
    const heard: Buffer[] = [];
    const closed = Promise.withResolvers<void>();
    const port = await startPeer(await authority.issue(['DNS:localhost']), (channel) => {
      channel.once('data', () => {
        channel.on('data', (data: Buffer) => heard.push(data));
        channel.once('close', () => closed.resolve());
        for (const message of says) channel.write(message);
      });
    });
    const pool = open({ port, channelBinding: 'require', sslMode: 'required' });
    await expect(pool.all('select 1')).rejects.toMatchObject({
      code: 'DATABASE_TLS_FAILED',
      message: expect.stringContaining(reason),
    });
    await closed.promise;
    expect(Buffer.concat(heard).toString('latin1')).toBe('');
  });

  it('is not passed on by somebody in between where the login is bound', async () => {
    const port = await startPeer(await stranger.issue(['DNS:localhost']), (channel) => passOn(channel, server.port));
    const through = (channelBinding: PostgresParameters['channelBinding']) =>
      open({ port, channelBinding, sslMode: 'required' }).all('select 1 as one');
    expect(await through('disable')).toEqual([{ one: '1' }]);
    for (const binding of ['prefer', 'require'] as const) {
      await expect(through(binding)).rejects.toMatchObject({ code: expect.stringMatching(/^DATABASE_/) });
    }
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
