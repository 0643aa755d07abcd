import { expect, it, onTestFinished } from 'vitest';
import { renderExplained } from '#cli/rendering/render-explained';
import { createTerminal } from '#cli/terminal/terminal';
import { checkProject } from '#flows/doctor/project-checks';
import { readProjectParts } from '#flows/platform-access/project-parts';
import { processEnvironment } from '#node/environment/process-environment';
import { openPostgres } from '#node/postgres/open-postgres';
import { postgresRules, watchPostgres } from '#runtime/data-sources/postgres/postgres-positions';
import { eventually } from '../../helpers/eventually.ts';
import { flowContext } from '../../helpers/flow-context.ts';
import { promoteStandby } from '../../helpers/postgres-pair.ts';
import { usePostgresReplicas } from '../../helpers/postgres-replicas.ts';
import { type Cluster, endCluster, password, startCluster } from '../../helpers/postgres-server.ts';
import { adding, CookieClient, counting, openHost, statusOf, welcomed } from '../../helpers/replicated-hosts.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

const servers = usePostgresReplicas(2);
const nameOf = ({ port }: Cluster) => `127.0.0.1:${port}`;
const names = () => servers.replicas.map(nameOf);
const uris = () => servers.replicas.map((replica) => servers.uri(replica));
const open = (more = {}, options = {}) => openHost(servers.uri(servers.primary), { uris: uris(), ...more }, options);

it('replicas answer a person who has a position, and the primary one who has none', async () => {
  const notes = await servers.newNotes();
  const host = await open();
  const ada = new CookieClient(1);
  expect(await counting(host, ada, notes)).toBe(0);
  expect(ada.servers).toEqual(['primary']);
  expect([...ada.cookies.keys()]).toEqual(['service_read_since']);
  await servers.caughtUp();
  const answered = new Set<string>();
  for (let asked = 0; asked < 20; asked++) {
    expect(await counting(host, ada, notes)).toBe(0);
    for (const server of ada.servers) answered.add(server);
  }
  expect(answered.has('primary')).toBe(false);
});

it('a person reads what they wrote on another host while every replica lags', async () => {
  const notes = await servers.newNotes();
  const [one, other] = [await open(), await open()];
  const ada = await welcomed(one, notes);
  const ben = await welcomed(one, notes, 2);
  await servers.replay('pause');
  await adding(one, ada, notes, 1);
  expect([...ada.cookies.keys()]).toEqual(['service_read_since', 'service_read_position']);
  expect(await counting(other, ada, notes)).toBe(1);
  expect(ada.servers).toEqual(['primary']);
  // Somebody else has written nothing.
  expect(await counting(other, ben, notes)).toBe(0);
  expect(names()).toContain(ben.servers[0]);
});

it('a person who writes with one client reads it with another one on the same host', async () => {
  const notes = await servers.newNotes();
  const host = await open();
  const [browser, script] = [await welcomed(host, notes), await welcomed(host, notes)];
  await servers.replay('pause');
  await adding(host, browser, notes, 1);
  expect(await counting(host, script, notes)).toBe(1);
});

it('replicas answer a client that can bring no position, which shows what anybody wrote before', async () => {
  const notes = await servers.newNotes();
  const host = await open({ waitMs: 10_000 });
  const assistant = new CookieClient(1, { asksPrimary: true });
  for (let id = 1; id <= 10; id++) {
    await servers.execute(servers.primary, `insert into ${notes} values (${id})`);
    expect(await counting(host, assistant, notes)).toBe(id);
    expect(names()).toContain(assistant.servers[0]);
  }
});

it('a read waits a moment for a replica to show what its person wrote', async () => {
  const notes = await servers.newNotes();
  const host = await open({ waitMs: 10_000 });
  const ada = await welcomed(host, notes);
  await servers.replay('pause');
  await adding(host, ada, notes, 1);
  const counted = counting(host, ada, notes);
  await servers.replay('resume');
  expect(await counted).toBe(1);
  expect(names()).toContain(ada.servers[0]);
});

it('a replica that has reached the position of a write shows it, though no commit waits for the disk', async () => {
  const notes = await servers.newNotes();
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
        if (!postgresRules.hasReached(position, written)) throw new Error('It is behind.');
      },
      { interval: 1 },
    );
    expect(await copy.all(`select id from ${notes} where id = $1`, [id])).toEqual([{ id: String(id) }]);
  }
  // The position that `pg_current_wal_lsn` tells is before such a commit.
  expect(isWriteBehind).toBeGreaterThan(0);
});

it('a replica is used while its primary has just begun a file of the log', async () => {
  const notes = await servers.newNotes();
  const host = await open();
  const ada = await welcomed(host, notes);
  await servers.execute(servers.primary, 'select pg_switch_wal()');
  // A client without a position gets that of now.
  const ben = new CookieClient(2);
  expect(await counting(host, ben, notes)).toBe(0);
  const written = String((await servers.execute(servers.primary, 'select pg_current_wal_lsn() as lsn'))[0]?.['lsn']);
  for (const replica of servers.replicas) {
    await eventually(async () => {
      const [row] = await servers.execute(replica, 'select pg_last_wal_replay_lsn() as lsn');
      expect(row?.['lsn']).toBe(written);
    });
  }
  await host.source.replicas?.look();
  await host.source.replicas?.look();
  for (const client of [ada, ben]) {
    expect(await counting(host, client, notes)).toBe(0);
    expect(names()).toContain(client.servers[0]);
  }
});

it('a position that is forged, or of another person or environment, counts as none', async () => {
  const notes = await servers.newNotes();
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
  const notes = await servers.newNotes();
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
  const notes = await servers.newNotes();
  const host = await open({ allowStaleReads: true });
  await servers.replay('pause');
  const ben = new CookieClient(2);
  await servers.execute(servers.primary, `insert into ${notes} values (7)`);
  expect(await counting(host, ben, notes)).toBe(0);
  expect(names()).toContain(ben.servers[0]);
  await adding(host, new CookieClient(1), notes, 1);
  expect(await counting(host, new CookieClient(1), notes)).toBe(2);
});

it('transactions, and what is read for them and for hooks, stay at the primary', async () => {
  const notes = await servers.newNotes();
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
  const notes = await servers.newNotes();
  const [host, other] = [await open(), await open()];
  const ada = await welcomed(host, notes);
  await servers.replay('pause');
  await ada.read(host, async (context) => {
    await host.source.create(notes, [{ id: 1 }], { ...context, reads: context.reads?.atPrimary });
    expect(await host.source.count(notes, undefined, context)).toBe(1);
  });
  expect(await counting(other, ada, notes)).toBe(1);
});

it('a read that fails on a replica is answered by the primary', async () => {
  const notes = await servers.newNotes();
  const host = await open();
  const ada = await welcomed(host, notes);
  await servers.replay('pause');
  await servers.execute(servers.primary, 'create table made_later (id int); insert into made_later values (5)');
  const query = (context: Parameters<NonNullable<typeof host.source.nativeQuery>>[2]) =>
    host.source.nativeQuery?.('select id from made_later', {}, context);
  expect(await ada.read(host, async (context) => query(context))).toEqual([{ id: '5' }]);
  expect(ada.servers).toEqual(['primary']);
});

it('a replica of another database, a promoted one and the primary itself are left out, with the reason', async () => {
  const notes = await servers.newNotes();
  const stranger = await startCluster([], { isOwn: true });
  onTestFinished(() => endCluster(stranger));
  const promoted = await servers.newReplica();
  const all = [...servers.replicas, promoted, stranger, servers.primary];
  const host = await openHost(
    servers.uri(servers.primary),
    { uris: all.map((server) => servers.uri(server)) },
    { inUse: 3 },
  );
  expect(await statusOf(host, stranger)).toMatchObject({
    leftOut: 'It has another database than the primary.',
  });
  const noReplica = { leftOut: 'It follows no primary: it was promoted, or is the primary itself.' };
  expect(await statusOf(host, servers.primary)).toMatchObject(noReplica);
  await promoteStandby(promoted.port);
  await servers.execute(promoted, `insert into ${notes} values (99)`);
  expect(await statusOf(host, promoted)).toMatchObject(noReplica);
  const ada = await welcomed(host, notes);
  for (let asked = 0; asked < 20; asked++) expect(await counting(host, ada, notes)).toBe(0);
});

it('a replica that follows a promoted one is left out', async () => {
  const promoted = await servers.newReplica();
  await promoteStandby(promoted.port);
  await servers.execute(promoted, 'checkpoint');
  const follower = await servers.newReplica(promoted);
  const host = await openHost(servers.uri(servers.primary), { uris: [...uris(), servers.uri(follower)] }, { inUse: 2 });
  expect(await statusOf(host, follower)).toMatchObject({ leftOut: 'It follows another primary.' });
});

it('doctor says of each replica whether it is in use', async () => {
  await servers.newNotes();
  const root = await temporaryFolder();
  const replicaUris = [servers.uri(servers.replicas[0] as Cluster), servers.uri(servers.primary)];
  await writeFiles(root, {
    'vendor-cloud.json': JSON.stringify({
      name: 'notes',
      dataSources: { main: { uri: servers.uri(servers.primary), replicas: { uris: replicaUris } } },
    }),
    'src/index.ts': '',
  });
  const context = flowContext(root);
  const [first = ''] = names();
  // The replica has the new database from now on, or a moment later.
  await eventually(async () => {
    const checks = await checkProject(context, await readProjectParts(context, root));
    const check = checks.find(({ name }) => name === 'database main');
    expect(check).toMatchObject({ status: 'warning' });
    expect(check?.message).toMatch(
      new RegExp(`The replica ${first} is in use, \\d+ ms behind, and has answered 0 reads\\.`),
    );
    expect(check?.message).toContain(
      `The replica ${nameOf(servers.primary)} is left out: It follows no primary: it was promoted, or is the primary itself.`,
    );
  });
});

it('explain says who answers a list', async () => {
  const notes = await servers.newNotes();
  const host = await open();
  const ada = await welcomed(host, notes);
  await counting(host, ada, notes);
  const explained = await host.source.explain?.({ collection: notes, projection: ['id'] }, { timezone: 'UTC' });
  const [first = '', ...others] = explained?.servers ?? [];
  expect(first).toBe('The primary answers whatever no replica shows in time.');
  expect(others).toHaveLength(2);
  expect(others.join(' ')).toMatch(/has answered [1-9]\d* reads/);
  const text = renderExplained(
    { collection: notes, steps: [], ...(explained ? { statement: explained } : {}) },
    createTerminal(processEnvironment, { isJson: false, hasColor: false }),
  );
  expect(text).toContain(`Who answers\n  ${first}\n  The replica ${names()[0]}`);
});
