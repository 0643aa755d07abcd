import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql, { type Connection } from 'mysql2/promise';
import { freePort } from './free-port.ts';
import { copyTemplate } from './server-template.ts';

/** A server program that speaks the protocol of MySQL, and what it wants to be told. */
export interface ServerProgram {
  readonly name: 'MariaDB' | 'MySQL';
  /** As the program prints it. */
  readonly version: string;
  /** The program, and the arguments that come before all others. */
  readonly command: readonly [string, ...string[]];
  /** What it is started with beside its places, fast and small. */
  readonly settings: readonly string[];
  /** What keeps it from offering TLS, which newer servers do by themselves. */
  readonly withoutTls: string;
  /** Write the data of a new server, with a user `root` that has no password, into a folder that is not there yet. */
  makeData(folder: string, settings: readonly string[]): Promise<unknown>;
}

/** A running server of one test file. */
export interface MysqlFamilyServer {
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

const startDeadlineMs = 10 * 60_000;

/** A server of its own for a test file, in a temporary folder and on a free port of the loopback. Without certificates it offers no TLS. */
export async function startServer(program: ServerProgram, options: readonly string[] = []): Promise<MysqlFamilyServer> {
  const folder = await mkdtemp(join(tmpdir(), `${program.name.toLowerCase()}-`));
  const data = join(folder, 'data');
  const socketPath = join(folder, 'sock');
  await mkdir(join(folder, 'temporary'));
  // A server that starts deletes what it finds there of temporary tables, also those of a neighbour.
  const always = [`--tmpdir=${join(folder, 'temporary')}`, ...asUser()];
  await copyTemplate(`${program.name}-${program.version}`, data, (place) => program.makeData(place, always));
  const port = await freePort();
  const tls = options.some((option) => option.startsWith('--ssl-')) ? [] : [program.withoutTls];
  const start = () => launch([...program.settings, ...places(folder, port), ...always, ...tls, ...options]);
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
    const [file, ...before] = program.command;
    const child = spawn(file, [...before, ...argv], { stdio: 'ignore' });
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
          const log = await readFile(join(folder, 'log.err'), 'utf8');
          throw new Error(`${program.name} did not start:\n${log.slice(-2000)}`, { cause: error });
        }
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
  }
}

function places(folder: string, port: number): string[] {
  return [
    `--datadir=${join(folder, 'data')}`,
    `--socket=${join(folder, 'sock')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--log-error=${join(folder, 'log.err')}`,
    `--port=${port}`,
  ];
}

/** What each of these servers takes. What is written need not outlive a crash of the machine. */
export const commonSettings = [
  '--no-defaults',
  '--bind-address=127.0.0.1',
  '--skip-name-resolve',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-buffer-pool-size=32M',
  '--performance-schema=off',
  '--skip-log-bin',
];

/** The servers refuse to run as root unless told so. */
function asUser(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}
