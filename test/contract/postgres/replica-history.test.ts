import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ConditionTreeFactory } from '#runtime/index';
import { usePostgresReplicas } from '../../helpers/postgres-replicas.ts';
import { randomSeed } from '../../helpers/random-seed.ts';
import { CookieClient, openHost, type ReplicatedHost } from '../../helpers/replicated-hosts.ts';

const servers = usePostgresReplicas(2);
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

/** Stops and resumes the replay of each replica at random, until all is over. */
async function lagAtRandom(random: () => number, isOver: () => boolean): Promise<void> {
  await Promise.all(
    servers.replicas.map(async (replica) => {
      while (!isOver()) {
        await servers.execute(replica, 'select pg_wal_replay_pause()');
        await pause(random() * 40);
        await servers.execute(replica, 'select pg_wal_replay_resume()');
        await pause(random() * 80);
      }
    }),
  );
}

it(`nobody of ${people} people reads before their own write in ${operations} operations on two hosts`, async () => {
  await servers.execute(
    servers.primary,
    `create table counters (id int primary key, value int); insert into counters select n, 0 from generate_series(1, ${people}) n`,
  );
  await servers.caughtUp();
  const replicas = { uris: servers.replicas.map((replica) => servers.uri(replica)), waitMs: 20 };
  const hosts = [
    await openHost(servers.uri(servers.primary), replicas),
    await openHost(servers.uri(servers.primary), replicas),
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
      if (found?.['value'] !== written) violations.push(`${personId} read ${String(found?.['value'])} for ${written}`);
    }
  }

  const lagging = lagAtRandom(random, () => isOver);
  await Promise.all(Array.from({ length: people }, (_each, index) => live(index + 1)));
  isOver = true;
  await lagging;
  expect(violations).toEqual([]);
  // Replicas have answered too, else nothing was tested.
  const ofReplicas = [...answered].filter(([server]) => server !== 'primary');
  expect(ofReplicas).toHaveLength(2);
  console.info(`Reads by server: ${JSON.stringify(Object.fromEntries(answered))}`);
});
