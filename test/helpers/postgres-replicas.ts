import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { execute, killCluster, startStandby } from './postgres-pair.ts';
import { type Cluster, endCluster, password, startCluster } from './postgres-server.ts';
import { copierRole } from './postgres-standby.ts';

/** A primary and replicas that follow it. */
export interface PostgresReplicas {
  readonly primary: Cluster;
  readonly replicas: readonly Cluster[];
  uri(server: Cluster, database?: string): string;
  /** Statements on a server, separated by `;`. */
  execute(server: Cluster, script: string): Promise<Record<string, unknown>[]>;
  /** Kill a replica and start it again with its data, where it may show less than it did before. */
  restart(replica: Cluster): Promise<void>;
  kill(replica: Cluster): Promise<void>;
  start(replica: Cluster): Promise<void>;
  /** Another replica of a server, until the test ends. */
  newReplica(of?: Cluster): Promise<Cluster>;
  /** A new table of notes on every server; its name. */
  newNotes(): Promise<string>;
  /** Pause or resume what the replicas apply. What is paused resumes when the test ends. */
  replay(call: 'pause' | 'resume'): Promise<void>;
  /** Wait until every replica that runs shows what is committed now. */
  caughtUp(): Promise<void>;
}

const flags = ['-c', 'wal_keep_size=256MB', '-c', 'hot_standby_feedback=on', '-c', 'wal_receiver_status_interval=1s'];

/** Gives the tests of a file a primary and `count` replicas, started before them and gone after them. */
export function usePostgresReplicas(count = 2): PostgresReplicas {
  let primary: Cluster | undefined;
  const replicas: Cluster[] = [];
  const running = () => {
    if (!primary) throw new Error('The servers are there while tests run.');
    return primary;
  };
  const addReplica = async (of = running()) => startStandby(of, await freePort(), 'replica', flags);
  beforeAll(async () => {
    primary = await startCluster(flags);
    await execute(primary.port, copierRole);
    for (let added = 0; added < count; added++) replicas.push(await addReplica());
  });
  afterAll(async () => {
    await Promise.all(replicas.map(endCluster));
    if (primary) await endCluster(primary);
  });
  const start = async (replica: Cluster) => {
    // A standby never says the words that this promise waits for.
    void replica.instance.start().catch(() => undefined);
    await eventually(() => execute(replica.port, 'select 1'), { interval: 20 });
  };
  const caughtUp = async () => {
    const [row] = await execute(running().port, 'select pg_current_wal_insert_lsn() as lsn');
    for (const { port } of replicas) {
      await eventually(
        async () => {
          const [shown] = await execute(port, `select pg_last_wal_replay_lsn() >= '${String(row?.['lsn'])}' as is`);
          if (shown?.['is'] !== true) throw new Error('The replica does not follow yet.');
        },
        { interval: 20 },
      );
    }
  };
  const replay = async (call: 'pause' | 'resume') => {
    await Promise.all(replicas.map(({ port }) => execute(port, `select pg_wal_replay_${call}()`)));
  };
  let tables = 0;
  return {
    get primary() {
      return running();
    },
    replicas,
    uri: ({ port }, database = 'postgres') =>
      `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    execute: ({ port }, script) => execute(port, script),
    kill: killCluster,
    start,
    restart: async (replica) => {
      await killCluster(replica);
      await start(replica);
    },
    async newReplica(of) {
      const replica = await addReplica(of);
      onTestFinished(() => endCluster(replica));
      return replica;
    },
    async newNotes() {
      tables += 1;
      const name = `notes_${tables}`;
      await execute(running().port, `create table ${name} (id int primary key, text text)`);
      await caughtUp();
      return name;
    },
    async replay(call) {
      await replay(call);
      if (call === 'pause') onTestFinished(() => replay('resume'));
    },
    caughtUp,
  };
}
