import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mysql, { type Connection } from 'mysql2/promise';
import { describe } from 'vitest';
import { freePort } from './free-port.ts';
import { copyTemplate } from './server-template.ts';

const run = promisify(execFile);
// Debian keeps the server out of the path of ordinary users.
const installed = ['mariadbd', '/usr/sbin/mariadbd', '/usr/libexec/mariadbd']
  .map((candidate) => ({ candidate, ...spawnSync(candidate, ['--version'], { encoding: 'utf8' }) }))
  .find(({ status }) => status === 0);
const program = installed?.candidate;

/** A suite on a MariaDB server; without one it is skipped, and its name says so. */
export function describeOnMariadb(name: string, suite: () => void): void {
  const reason = program ? '' : ' (skipped: mariadbd is not installed; on Debian, apt-get install mariadb-server)';
  describe.skipIf(program === undefined)(`${name} on MariaDB${reason}`, suite);
}

export interface MariadbServer {
  readonly host: string;
  readonly port: number;
  readonly socketPath: string;
  readonly user: string;
  readonly password: string;
  /** Make an empty database and run `statements` in it, one after another; its name. */
  createDatabase(name: string, statements?: readonly string[]): Promise<string>;
  /** A connection of the test's own, as the administrator. */
  connect(database?: string): Promise<Connection>;
  /** End the server as a crash would. */
  kill(): Promise<void>;
  /** Start it again on the same port and the same data. */
  restart(): Promise<void>;
  /** End the server and remove what it has written. */
  stop(): Promise<void>;
}

const startDeadlineMs = 60_000;

/** A server of its own for a test file, in a temporary folder and on a free port of the loopback. */
export async function startMariadb(options: readonly string[] = []): Promise<MariadbServer> {
  const folder = await mkdtemp(join(tmpdir(), 'mariadb-'));
  const data = join(folder, 'data');
  const socketPath = join(folder, 'sock');
  // A server that starts deletes what it finds there of temporary tables, also those of a neighbour.
  const temporary = `--tmpdir=${join(folder, 'temporary')}`;
  await mkdir(join(folder, 'temporary'));
  const version = /Ver (\S+)/.exec(installed?.stdout ?? '')?.[1] ?? 'unknown';
  const install = [
    '--no-defaults',
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    temporary,
    ...asUser(),
  ];
  await copyTemplate(`mariadb-${version}`, data, (place) =>
    run('mariadb-install-db', [...install, `--datadir=${place}`]),
  );
  const port = await freePort();
  const start = () => launch([...settings(folder, port), temporary, ...options]);
  let server = await start();
  const root = { socketPath, user: 'root', multipleStatements: false };
  const password = 'correct horse';
  const admin = await mysql.createConnection(root);
  await admin.query('create user app identified by ?', [password]);
  await admin.query('grant all on *.* to app with grant option');
  await admin.end();

  // A test run that is ended from outside must not leave a server behind.
  const onExit = () => server.kill('SIGKILL');
  process.once('exit', onExit);
  return {
    host: '127.0.0.1',
    port,
    socketPath,
    user: 'app',
    password,
    async createDatabase(name, statements = []) {
      const connection = await mysql.createConnection(root);
      try {
        await connection.query('create database ?? character set utf8mb4 collate utf8mb4_general_ci', [name]);
        await connection.query('use ??', [name]);
        for (const statement of statements) await connection.query(statement);
      } finally {
        await connection.end();
      }
      return name;
    },
    connect: (database) => mysql.createConnection(database === undefined ? root : { ...root, database }),
    kill: () => ended(server, 'SIGKILL'),
    async restart() {
      server = await start();
    },
    async stop() {
      process.off('exit', onExit);
      await ended(server, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function launch(argv: readonly string[]): Promise<ChildProcess> {
    const child = spawn(program ?? 'mariadbd', [...argv, ...asUser()], { stdio: 'ignore' });
    await isReady(child);
    return child;
  }

  async function isReady(child: ChildProcess): Promise<void> {
    const deadline = Date.now() + startDeadlineMs;
    for (;;) {
      try {
        await (await mysql.createConnection({ socketPath, user: 'root' })).end();
        return;
      } catch (error) {
        if (child.exitCode !== null || Date.now() > deadline) {
          child.kill('SIGKILL');
          const log = await readFile(join(folder, 'log'), 'utf8');
          throw new Error(`MariaDB did not start:\n${log.slice(-2000)}`, { cause: error });
        }
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
  }
}

/** Fast and small: what is written need not outlive a crash of the machine. */
function settings(folder: string, port: number): string[] {
  return [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    `--socket=${join(folder, 'sock')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--log-error=${join(folder, 'log')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-buffer-pool-size=32M',
    '--innodb-log-file-size=8M',
    '--innodb-fast-shutdown=2',
    '--performance-schema=off',
    '--skip-log-bin',
  ];
}

/** The server refuses to run as root unless told so. */
function asUser(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}
