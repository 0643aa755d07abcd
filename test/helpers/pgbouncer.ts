import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

// Debian keeps the pooler out of the path of ordinary users.
const program = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (candidate) => spawnSync(candidate, ['--version']).status === 0,
);

/** A suite behind PgBouncer; without one it is skipped, and its name says so. */
export function describeBehindPgbouncer(name: string, suite: () => void): void {
  const reason = program ? '' : ' (skipped: pgbouncer is not installed; on Debian, apt-get install pgbouncer)';
  describe.skipIf(program === undefined)(`${name} behind PgBouncer${reason}`, suite);
}

export interface Pgbouncer {
  readonly port: number;
  stop(): Promise<void>;
}

/** The pooler refuses to run as root; any other user will do. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A pooler in transaction mode before a server, with two connections to each of its databases. */
export async function startPgbouncer(server: PostgresParameters): Promise<Pgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const configuration = join(folder, 'pgbouncer.ini');
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  await writeFile(users, `${quoted(server.user ?? '')} ${quoted(server.password ?? '')}\n`, { mode: 0o600 });
  await writeFile(configuration, settings(server, port, users));
  const { uid, gid } = unprivileged;
  if (uid !== undefined) await Promise.all([folder, users, configuration].map((path) => chown(path, uid, gid)));

  const output: string[] = [];
  const child = spawn(program ?? 'pgbouncer', [configuration], { ...unprivileged, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(String(text)));
  // A test run that is ended from outside must not leave a pooler behind.
  const onExit = () => child.kill('SIGKILL');
  process.once('exit', onExit);
  const stop = async () => {
    process.off('exit', onExit);
    await ended(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await eventually(() => accepts(port));
  } catch (error) {
    await stop();
    throw new Error(`PgBouncer does not start:\n${output.join('')}`, { cause: error });
  }
  return { port, stop };
}

function settings(server: PostgresParameters, port: number, users: string): string {
  return [
    '[databases]',
    `* = host=${server.host} port=${server.port ?? 5432}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'default_pool_size = 2',
    // From this version on prepared statements can be kept across connections, which older ones know nothing of.
    ...(isAtLeast(1, 21) ? ['max_prepared_statements = 0'] : []),
    '',
  ].join('\n');
}

function isAtLeast(major: number, minor: number): boolean {
  const version = spawnSync(program ?? 'pgbouncer', ['--version'], { encoding: 'utf8' }).stdout;
  const [, foundMajor, foundMinor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(foundMajor) * 1000 + Number(foundMinor) >= major * 1000 + minor;
}

function accepts(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}
