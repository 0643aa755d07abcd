import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ConditionTreeFactory } from '#runtime/index';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import { useMysqlReplicas } from '../../helpers/mysql-replicas.ts';
import { usePostgresReplicas } from '../../helpers/postgres-replicas.ts';
import { randomSeed } from '../../helpers/random-seed.ts';
import { CookieClient, openHost, type ReplicatedHost } from '../../helpers/replicated-hosts.ts';

const people = 20;
/** Reads and writes of all people together. */
const operations = Number(process.env['REPLICA_OPERATIONS'] ?? 2_000);

/** Numbers between 0 and 1, the same ones for the same seed. */
function randomNumbers(from: number): () => number {
  let state = from;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** A primary whose replicas stop at random to carry out what they receive. */
interface LaggingServers {
  readonly primary: string;
  readonly replicas: readonly string[];
  readonly schemas: string[];
  /** Carry out statements at the primary, and wait until every replica has followed. */
  prepare(statements: readonly string[]): Promise<void>;
  /** @param index of the replica. */
  apply(index: number, how: 'start' | 'stop'): Promise<void>;
}

async function lagAtRandom(servers: LaggingServers, random: () => number, isOver: () => boolean): Promise<void> {
  await Promise.all(
    servers.replicas.map(async (_uri, index) => {
      while (!isOver()) {
        await servers.apply(index, 'stop');
        await pause(random() * 40);
        await servers.apply(index, 'start');
        await pause(random() * 80);
      }
    }),
  );
}

function itShowsEverybodyTheirWrites(serversOf: () => LaggingServers): void {
  it(`nobody of ${people} people reads before their own write in ${operations} operations on two hosts (seed ${randomSeed})`, async () => {
    const servers = serversOf();
    const { schemas } = servers;
    const rows = Array.from({ length: people }, (_each, index) => `(${index + 1}, 0)`);
    await servers.prepare([
      'create table counters (id int primary key, value int)',
      `insert into counters values ${rows.join(', ')}`,
    ]);
    const replicas = { uris: servers.replicas, waitMs: 20 };
    const hosts = [
      await openHost(servers.primary, replicas, { schemas }),
      await openHost(servers.primary, replicas, { schemas }),
    ];
    const random = randomNumbers(randomSeed);
    const answered = new Map<string, number>();
    const violations: string[] = [];
    let done = 0;
    let isOver = false;

    async function live(personId: number): Promise<void> {
      const client = new CookieClient(personId);
      const where = ConditionTreeFactory.fromPlainObject({ field: 'id', operator: 'Equal', value: personId });
      let written = 0;
      while (done < operations) {
        done += 1;
        const host = hosts[Math.floor(random() * hosts.length)] as ReplicatedHost;
        if (random() < 0.05) {
          const value = written + 1;
          await client.write(host, (context) => host.source.update('counters', where, { value }, context));
          written = value;
          continue;
        }
        const query = { collection: 'counters', projection: ['value'], where };
        const [found] = await client.read(host, (context) => host.source.list(query, context));
        for (const server of client.servers) answered.set(server, (answered.get(server) ?? 0) + 1);
        if (found?.['value'] !== written)
          violations.push(`${personId} read ${String(found?.['value'])} for ${written}`);
      }
    }

    const lagging = lagAtRandom(servers, random, () => isOver);
    await Promise.all(Array.from({ length: people }, (_each, index) => live(index + 1)));
    isOver = true;
    await lagging;
    expect(violations).toEqual([]);
    // Replicas have answered too, else nothing was tested.
    const ofReplicas = [...answered].filter(([server]) => server !== 'primary');
    expect(ofReplicas).toHaveLength(2);
    console.info(`Reads by server: ${JSON.stringify(Object.fromEntries(answered))}`);
  });
}

describe('replicas on PostgreSQL', () => {
  const servers = usePostgresReplicas(2);
  itShowsEverybodyTheirWrites(() => ({
    primary: servers.uri(servers.primary),
    replicas: servers.replicas.map((replica) => servers.uri(replica)),
    schemas: ['public'],
    async prepare(statements) {
      await servers.execute(servers.primary, statements.join(';'));
      await servers.caughtUp();
    },
    async apply(index, how) {
      const replica = servers.replicas[index];
      const call = how === 'start' ? 'resume' : 'pause';
      if (replica) await servers.execute(replica, `select pg_wal_replay_${call}()`);
    },
  }));
});

describeOnMysqlFamily('replicas', (member) => {
  const servers = useMysqlReplicas(member);
  itShowsEverybodyTheirWrites(() => ({
    primary: servers.uri(servers.primary),
    replicas: servers.replicas.map((replica) => servers.uri(replica)),
    schemas: [],
    async prepare(statements) {
      await servers.execute(servers.primary, 'use shop', ...statements);
      await servers.caughtUp();
    },
    async apply(index, how) {
      const replica = servers.replicas[index];
      if (replica) await servers.apply(replica, how);
    },
  }));
});
