import { execFile } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ConditionTreeFactory } from '#runtime/index';
import { eventually } from '../../helpers/eventually.ts';
import { usePostgresReplicas } from '../../helpers/postgres-replicas.ts';
import type { Cluster } from '../../helpers/postgres-server.ts';
import { adding, CookieClient, counting, openHost, statusOf, welcomed } from '../../helpers/replicated-hosts.ts';

const servers = usePostgresReplicas(2);
/** How often a replica is killed. */
const rounds = Number(process.env['REPLICA_KILLS'] ?? 5);
const nameOf = ({ port }: Cluster) => `127.0.0.1:${port}`;
const run = promisify(execFile);

const open = (more = {}, options = {}) => {
  const uris = servers.replicas.map((replica) => servers.uri(replica));
  return openHost(servers.uri(servers.primary), { uris, ...more }, options);
};

it('a replica that is too far behind is left out, and comes back by itself', async () => {
  const notes = await servers.newNotes();
  const host = await open({ maxLagMs: 1_000, allowStaleReads: true });
  const told: string[] = [];
  host.source.replicas?.onChange((sentence, isInUse) => told.push(`${isInUse ? 'in use' : 'left out'}: ${sentence}`));
  await servers.replay('pause');
  await servers.execute(servers.primary, `insert into ${notes} values (1)`);
  for (const replica of servers.replicas) {
    await eventually(async () => {
      expect(await statusOf(host, replica)).toMatchObject({ leftOut: 'It is more than 1000 ms behind the primary.' });
    });
  }
  expect(await counting(host, new CookieClient(1), notes)).toBe(1);
  await servers.replay('resume');
  for (const replica of servers.replicas) {
    await eventually(async () => expect((await statusOf(host, replica))?.leftOut).toBeUndefined());
  }
  const which = (number: number) => `The replica ${number} of 2 of the database "postgres"`;
  const why = 'and the primary answers its reads: It is more than 1000 ms behind the primary.';
  expect(told.toSorted()).toEqual([
    ...[1, 2].map((number) => `in use: ${which(number)} is in use again.`),
    ...[1, 2].map((number) => `left out: ${which(number)} is left out, ${why}`),
  ]);
});

it(`a replica that is killed ${rounds} times fails no read, shows nothing old, and comes back by itself`, async () => {
  const notes = await servers.newNotes();
  const host = await open({}, { connectTimeoutMs: 1_000 });
  const ada = await welcomed(host, notes);
  let isOver = false;
  let reads = 0;
  const reading = (async () => {
    for (let id = 1; !isOver; id++) {
      await adding(host, ada, notes, id);
      for (let asked = 0; asked < 5; asked++) {
        expect(await counting(host, ada, notes)).toBe(id);
        reads += 1;
      }
    }
  })();
  for (let round = 0; round < rounds; round++) {
    const replica = servers.replicas[round % 2] as Cluster;
    await servers.kill(replica);
    await eventually(async () => expect((await statusOf(host, replica))?.leftOut).toBeDefined(), {
      interval: 20,
    });
    await servers.start(replica);
    await eventually(async () => expect((await statusOf(host, replica))?.leftOut).toBeUndefined(), {
      interval: 20,
    });
  }
  isOver = true;
  await reading;
  expect(reads).toBeGreaterThan(rounds);
});

it('a replica that shows less after a restart than before answers nobody until it is back', async () => {
  const notes = await servers.newNotes();
  const replica = servers.replicas[0] as Cluster;
  const host = await openHost(servers.uri(servers.primary), { uris: [servers.uri(replica)], waitMs: 0 });
  const ada = await welcomed(host, notes);
  await servers.execute(servers.primary, 'checkpoint');
  await servers.execute(replica, 'checkpoint');
  await adding(host, ada, notes, 1);
  await servers.caughtUp();
  await host.source.replicas?.look();
  expect(await counting(host, ada, notes)).toBe(1);
  expect(ada.servers).toEqual([nameOf(replica)]);
  // From now on it applies commits an hour late, those that it had applied before the restart too.
  const config = path.join(replica.databaseDir, 'postgresql.auto.conf');
  await appendFile(config, "recovery_min_apply_delay = '1h'\n");
  await servers.restart(replica);
  const [row] = await servers.execute(replica, `select count(*) from ${notes}`);
  expect(row?.['count']).toBe('0');
  for (let asked = 0; asked < 50; asked++) expect(await counting(host, ada, notes)).toBe(1);
  await appendFile(config, "recovery_min_apply_delay = '0'\n");
  await servers.restart(replica);
  await servers.caughtUp();
});

it('a replica that stops answering holds a read up for a moment only', async () => {
  const notes = await servers.newNotes();
  const replica = servers.replicas[0] as Cluster;
  const host = await openHost(servers.uri(servers.primary), { uris: [servers.uri(replica)] });
  const ada = await welcomed(host, notes);
  expect(await counting(host, ada, notes)).toBe(0);
  const [postmaster = ''] = (await readFile(path.join(replica.databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', postmaster]);
  const processes = [postmaster, ...stdout.split('\n')].map((id) => id.trim()).filter((id) => id !== '');
  const signal = (name: string) =>
    Promise.all(processes.map((id) => run('kill', [`-${name}`, id]).catch(() => undefined)));
  await signal('STOP');
  try {
    const where = ConditionTreeFactory.fromPlainObject({ field: 'id', operator: 'Equal', value: 1 });
    const found = await ada.read(host, (context) => host.source.count(notes, where, context));
    expect(found).toBe(0);
    expect(ada.servers).toEqual(['primary']);
  } finally {
    await signal('CONT');
  }
  await eventually(async () => expect((await statusOf(host, replica))?.leftOut).toBeUndefined());
});
