import { execFile } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '#node/postgres/open-postgres';
import type { ReplicaStatus } from '#runtime/data-sources/interface/read-session';
import { postgresPositions, watchPostgres } from '#runtime/data-sources/postgres/postgres-positions';
import { ConditionTreeFactory } from '#runtime/index';
import { eventually } from '../../helpers/eventually.ts';
import { usePostgresReplicas } from '../../helpers/postgres-replicas.ts';
import { type Cluster, endCluster, password, startCluster } from '../../helpers/postgres-server.ts';
import { CookieClient, openHost, type ReplicatedHost } from '../../helpers/replicated-hosts.ts';

const servers = usePostgresReplicas(2);
/** How often a replica is killed. */
const rounds = Number(process.env['REPLICA_KILLS'] ?? 5);
const nameOf = ({ port }: Cluster) => `127.0.0.1:${port}`;
const run = promisify(execFile);
let tables = 0;

/** A new table of notes on every server. */
async function makeNotes(): Promise<string> {
  tables += 1;
  const name = `notes_${tables}`;
  await servers.execute(servers.primary, `create table ${name} (id int primary key, text text)`);
  await servers.caughtUp();
  return name;
}

async function replay(call: 'pause' | 'resume'): Promise<void> {
  await Promise.all(servers.replicas.map((replica) => servers.execute(replica, `select pg_wal_replay_${call}()`)));
}

const names = () => servers.replicas.map(nameOf);
const uris = () => servers.replicas.map((replica) => servers.uri(replica));
const open = (more = {}, options = {}) => openHost(servers.uri(servers.primary), { uris: uris(), ...more }, options);

async function statusOf(host: ReplicatedHost, name: string): Promise<ReplicaStatus | undefined> {
  return (await host.source.replicas?.look())?.find((status) => status.name === name);
}

const counting = (host: ReplicatedHost, client: CookieClient, notes: string) =>
  client.read(host, (context) => host.source.count(notes, undefined, context));
const adding = (host: ReplicatedHost, client: CookieClient, notes: string, id: number) =>
  client.write(host, (context) => host.source.create(notes, [{ id, text: 'a' }], context));

/** A client with a position, whom replicas answer. */
async function welcomed(host: ReplicatedHost, notes: string, personId = 1): Promise<CookieClient> {
  const client = new CookieClient(personId);
  await counting(host, client, notes);
  return client;
}

it('replicas answer a person who has a position, and the primary one who has none', async () => {
  const notes = await makeNotes();
  const host = await open();
  const ada = new CookieClient(1);
  expect(await counting(host, ada, notes)).toBe(0);
  expect(ada.servers).toEqual(['primary']);
  expect([...ada.cookies.keys()]).toEqual(['service_read_since']);
  const answered = new Set<string>();
  for (let asked = 0; asked < 20; asked++) {
    expect(await counting(host, ada, notes)).toBe(0);
    for (const server of ada.servers) answered.add(server);
  }
  expect(answered.has('primary')).toBe(false);
});

it('a person reads what they wrote on another host while every replica lags', async () => {
  const notes = await makeNotes();
  const [one, other] = [await open(), await open()];
  const ada = await welcomed(one, notes);
  const ben = await welcomed(one, notes, 2);
  await replay('pause');
  onTestFinished(() => replay('resume'));
  await adding(one, ada, notes, 1);
  expect([...ada.cookies.keys()]).toEqual(['service_read_since', 'service_read_position']);
  expect(await counting(other, ada, notes)).toBe(1);
  expect(ada.servers).toEqual(['primary']);
  // Somebody else has written nothing.
  expect(await counting(other, ben, notes)).toBe(0);
  expect(names()).toContain(ben.servers[0]);
});

it('a person who writes with one client reads it with another one on the same host', async () => {
  const notes = await makeNotes();
  const host = await open();
  const [browser, script] = [await welcomed(host, notes), await welcomed(host, notes)];
  await replay('pause');
  onTestFinished(() => replay('resume'));
  await adding(host, browser, notes, 1);
  expect(await counting(host, script, notes)).toBe(1);
});

it('replicas answer a client that can bring no position, which shows what anybody wrote before', async () => {
  const notes = await makeNotes();
  const host = await open({ waitMs: 10_000 });
  const assistant = new CookieClient(1, { asksPrimary: true });
  for (let id = 1; id <= 10; id++) {
    await servers.execute(servers.primary, `insert into ${notes} values (${id})`);
    expect(await counting(host, assistant, notes)).toBe(id);
    expect(names()).toContain(assistant.servers[0]);
  }
});

it('a read waits a moment for a replica to show what its person wrote', async () => {
  const notes = await makeNotes();
  const host = await open({ waitMs: 10_000 });
  const ada = await welcomed(host, notes);
  await replay('pause');
  await adding(host, ada, notes, 1);
  const counted = counting(host, ada, notes);
  await replay('resume');
  expect(await counted).toBe(1);
  expect(names()).toContain(ada.servers[0]);
});

it('a replica that has reached the position of a write shows it, though no commit waits for the disk', async () => {
  const notes = await makeNotes();
  const parameters = {
    host: '127.0.0.1',
    port: servers.primary.port,
    user: 'postgres',
    password,
    database: 'postgres',
  };
  const pool = openPostgres(parameters);
  const watch = watchPostgres(parameters);
  const [replica] = servers.replicas;
  const replicaParameters = { ...parameters, port: replica?.port };
  const [copy, copyWatch] = [openPostgres(replicaParameters), watchPostgres(replicaParameters)];
  onTestFinished(async () => {
    await Promise.all([pool, watch, copy, copyWatch].map((each) => each.close()));
  });
  let isWriteBehind = 0;
  for (let id = 0; id < 10; id++) {
    await pool.transaction((session) => session.run(`insert into ${notes} values ($1)`, [id]));
    const [row] = await pool.all('select (pg_current_wal_lsn() < pg_current_wal_insert_lsn())::text as is');
    if (row?.['is'] === 'true') isWriteBehind += 1;
    const written = await watch.written();
    await eventually(
      async () => {
        const { position = '' } = await copyWatch.state();
        if (!postgresPositions.hasReached(position, written)) throw new Error('It is behind.');
      },
      { interval: 1 },
    );
    expect(await copy.all(`select id from ${notes} where id = $1`, [id])).toEqual([{ id: String(id) }]);
  }
  // The position that `pg_current_wal_lsn` tells is before such a commit.
  expect(isWriteBehind).toBeGreaterThan(0);
});

it('a position that is forged, or of another person or environment, counts as none', async () => {
  const notes = await makeNotes();
  const host = await open();
  const foreign = await open({}, { key: new Uint8Array(32).fill(8) });
  const ada = await welcomed(host, notes);
  const [payload = ''] = (ada.cookies.get('service_read_since') ?? '').split('.');
  const ofOther = (await welcomed(host, notes, 2)).cookies.get('service_read_since') ?? '';
  const ofEnvironment = (await welcomed(foreign, notes)).cookies.get('service_read_since') ?? '';
  const early = Buffer.from(
    JSON.stringify({ [Object.keys(JSON.parse(Buffer.from(payload, 'base64url').toString()))[0] ?? '']: '0' }),
  ).toString('base64url');
  const signature = ada.cookies.get('service_read_since')?.split('.')[1];
  for (const token of [
    ofOther,
    ofEnvironment,
    `${early}.${signature}`,
    payload,
    '.',
    `${payload}.`,
    'x'.repeat(5_000),
  ]) {
    const client = new CookieClient(1);
    client.cookies.set('service_read_position', token);
    await counting(host, client, notes);
    expect({ token, servers: client.servers }).toEqual({ token, servers: ['primary'] });
  }
});

it('a position of another data source says nothing of this one', async () => {
  const notes = await makeNotes();
  await servers.execute(servers.primary, 'create database other');
  await servers.caughtUp();
  const ofOther = await openHost(servers.uri(servers.primary, 'other'), {
    uris: servers.replicas.map((replica) => servers.uri(replica, 'other')),
  });
  const host = await open();
  const ada = new CookieClient(1);
  await ada.read(ofOther, async (context) => ofOther.source.nativeQuery?.('select 1', {}, context));
  expect(ada.cookies.size).toBe(1);
  await counting(host, ada, notes);
  expect(ada.servers).toEqual(['primary']);
});

it('replicas answer clients without a position where a setting allows it, and still show what a person wrote here', async () => {
  const notes = await makeNotes();
  const host = await open({ allowStaleReads: true });
  await replay('pause');
  onTestFinished(() => replay('resume'));
  const ben = new CookieClient(2);
  await servers.execute(servers.primary, `insert into ${notes} values (7)`);
  expect(await counting(host, ben, notes)).toBe(0);
  expect(names()).toContain(ben.servers[0]);
  await adding(host, new CookieClient(1), notes, 1);
  expect(await counting(host, new CookieClient(1), notes)).toBe(2);
});

it('transactions, and what is read for them and for hooks, stay at the primary', async () => {
  const notes = await makeNotes();
  const host = await open();
  const ada = await welcomed(host, notes);
  await ada.read(host, ({ reads, ...context }) =>
    host.source.count(notes, undefined, { ...context, reads: reads?.atPrimary }),
  );
  expect(ada.servers).toEqual(['primary']);
  await ada.read(host, (context) =>
    host.source.transaction(async (store) => {
      await store.create(notes, [{ id: 1 }], context);
      expect(await store.count(notes, undefined, context)).toBe(1);
    }, context),
  );
  expect(ada.servers).toEqual([]);
});

it('a request that writes while it only reads sees its own write, and so does the next one', async () => {
  const notes = await makeNotes();
  const host = await open();
  const ada = await welcomed(host, notes);
  await replay('pause');
  onTestFinished(() => replay('resume'));
  await ada.read(host, async (context) => {
    await host.source.create(notes, [{ id: 1 }], { ...context, reads: context.reads?.atPrimary });
    expect(await host.source.count(notes, undefined, context)).toBe(1);
  });
  expect(await counting(await open(), ada, notes)).toBe(1);
});

it('a read that fails on a replica is answered by the primary', async () => {
  const notes = await makeNotes();
  const host = await open();
  const ada = await welcomed(host, notes);
  await replay('pause');
  onTestFinished(() => replay('resume'));
  await servers.execute(servers.primary, 'create table made_later (id int); insert into made_later values (5)');
  const query = (context: Parameters<NonNullable<typeof host.source.nativeQuery>>[2]) =>
    host.source.nativeQuery?.('select id from made_later', {}, context);
  expect(await ada.read(host, async (context) => query(context))).toEqual([{ id: '5' }]);
  expect(ada.servers).toEqual(['primary']);
});

it('a replica of another database, a promoted one and the primary itself are left out, with the reason', async () => {
  const notes = await makeNotes();
  const stranger = await startCluster([], { isOwn: true });
  onTestFinished(() => endCluster(stranger));
  const promoted = await servers.newReplica();
  const all = [...servers.replicas, promoted, stranger, servers.primary];
  const host = await openHost(
    servers.uri(servers.primary),
    { uris: all.map((server) => servers.uri(server)) },
    { inUse: 3 },
  );
  expect(await statusOf(host, nameOf(stranger))).toMatchObject({
    leftOut: 'It has another database than the primary.',
  });
  const noReplica = { leftOut: 'It follows no primary: it was promoted, or is the primary itself.' };
  expect(await statusOf(host, nameOf(servers.primary))).toMatchObject(noReplica);
  await servers.execute(promoted, 'select pg_promote()');
  await servers.execute(promoted, `insert into ${notes} values (99)`);
  expect(await statusOf(host, nameOf(promoted))).toMatchObject(noReplica);
  const ada = await welcomed(host, notes);
  for (let asked = 0; asked < 20; asked++) expect(await counting(host, ada, notes)).toBe(0);
});

it('a replica that follows a promoted one is left out', async () => {
  const promoted = await servers.newReplica();
  await servers.execute(promoted, 'select pg_promote()');
  await servers.execute(promoted, 'checkpoint');
  const follower = await servers.newReplica(promoted);
  const host = await openHost(servers.uri(servers.primary), { uris: [...uris(), servers.uri(follower)] }, { inUse: 2 });
  expect(await statusOf(host, nameOf(follower))).toMatchObject({ leftOut: 'It follows another primary.' });
});

it('a replica that is too far behind is left out, and comes back by itself', async () => {
  const notes = await makeNotes();
  const host = await open({ maxLagMs: 1_000, allowStaleReads: true });
  await replay('pause');
  await servers.execute(servers.primary, `insert into ${notes} values (1)`);
  const [name = ''] = names();
  await eventually(async () => {
    expect(await statusOf(host, name)).toMatchObject({ leftOut: 'It is more than 1000 ms behind the primary.' });
  });
  expect(await counting(host, new CookieClient(1), notes)).toBe(1);
  await replay('resume');
  await eventually(async () => expect((await statusOf(host, name))?.leftOut).toBeUndefined());
});

it(`a replica that is killed ${rounds} times fails no read, shows nothing old, and comes back by itself`, async () => {
  const notes = await makeNotes();
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
    await eventually(async () => expect((await statusOf(host, nameOf(replica)))?.leftOut).toBeDefined(), {
      interval: 20,
    });
    await servers.start(replica);
    await eventually(async () => expect((await statusOf(host, nameOf(replica)))?.leftOut).toBeUndefined(), {
      interval: 20,
    });
  }
  isOver = true;
  await reading;
  expect(reads).toBeGreaterThan(rounds);
});

it('a replica that shows less after a restart than before answers nobody until it is back', async () => {
  const notes = await makeNotes();
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
  const notes = await makeNotes();
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
  await eventually(async () => expect((await statusOf(host, nameOf(replica)))?.leftOut).toBeUndefined());
});
