import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { useMysqlReplicas } from '../../helpers/mysql-replicas.ts';
import { adding, CookieClient, counting, openHost, statusOf, welcomed } from '../../helpers/replicated-hosts.ts';

describeOnMysqlFamily('replicas', (member) => {
  const servers = useMysqlReplicas(member);
  const nameOf = ({ port }: MysqlFamilyServer) => `127.0.0.1:${port}`;
  const names = () => servers.replicas.map(nameOf);
  const uris = () => servers.replicas.map((replica) => servers.uri(replica));
  const open = (more = {}) => openHost(servers.uri(servers.primary), { uris: uris(), ...more }, { schemas: [] });
  const apply = async (how: 'start' | 'stop') => {
    await Promise.all(servers.replicas.map((replica) => servers.apply(replica, how)));
  };
  const pauseAll = async () => {
    onTestFinished(() => apply('start'));
    await apply('stop');
  };

  it('answer a person who has a position, and the primary one who has none', async () => {
    const notes = await servers.newNotes();
    const host = await open();
    const ada = new CookieClient(1);
    expect(await counting(host, ada, notes)).toBe(0);
    expect(ada.servers).toEqual(['primary']);
    const answered = new Set<string>();
    for (let asked = 0; asked < 20; asked++) {
      expect(await counting(host, ada, notes)).toBe(0);
      for (const server of ada.servers) answered.add(server);
    }
    expect(answered.has('primary')).toBe(false);
  });

  it('do not answer a person on another host before they show what the person wrote', async () => {
    const notes = await servers.newNotes();
    const [one, other] = [await open(), await open()];
    const ada = await welcomed(one, notes);
    const ben = await welcomed(one, notes, 2);
    await pauseAll();
    await adding(one, ada, notes, 1);
    expect(await counting(other, ada, notes)).toBe(1);
    expect(ada.servers).toEqual(['primary']);
    // Somebody else has written nothing.
    expect(await counting(other, ben, notes)).toBe(0);
    expect(names()).toContain(ben.servers[0]);
  });

  it('answer after a moment once they show what the person wrote', async () => {
    const notes = await servers.newNotes();
    const host = await open({ waitMs: 10_000 });
    const ada = await welcomed(host, notes);
    await pauseAll();
    await adding(host, ada, notes, 1);
    const counted = counting(host, ada, notes);
    await apply('start');
    expect(await counted).toBe(1);
    expect(names()).toContain(ada.servers[0]);
  });

  it('answer a client that can bring no position, and show what anybody wrote before', async () => {
    const notes = await servers.newNotes();
    const host = await open({ waitMs: 10_000 });
    const assistant = new CookieClient(1, { asksPrimary: true });
    for (let id = 1; id <= 10; id++) {
      await servers.execute(servers.primary, `insert into shop.${notes} (id) values (${id})`);
      expect(await counting(host, assistant, notes)).toBe(id);
      expect(names()).toContain(assistant.servers[0]);
    }
  });

  it('are left out with the reason: one that can be written to, one of another database, and the primary', async () => {
    const notes = await servers.newNotes();
    const stranger = await servers.newServer(undefined);
    await servers.execute(stranger, ...Array.from({ length: 30 }, (_, n) => `create table shop.t${n} (id int)`));
    await servers.execute(stranger, 'set global read_only = on');
    const promoted = await servers.newServer(servers.primary);
    const all = [...servers.replicas, promoted, stranger, servers.primary];
    const host = await openHost(
      servers.uri(servers.primary),
      { uris: all.map((server) => servers.uri(server)) },
      { inUse: 3, schemas: [] },
    );
    expect((await statusOf(host, stranger))?.leftOut).toMatch(/follows another|has not reached yet/);
    expect(await statusOf(host, servers.primary)).toMatchObject({ leftOut: 'It is the primary itself.' });
    await servers.execute(promoted, 'set global read_only = off', `insert into shop.${notes} (id) values (99)`);
    expect(await statusOf(host, promoted)).toMatchObject({
      leftOut: 'It can be written to: its "read_only" is off.',
    });
    await servers.execute(promoted, 'set global read_only = on');
    await eventually(async () => expect((await statusOf(host, promoted))?.leftOut).toMatch(/follows another/));
    const ada = await welcomed(host, notes);
    for (let asked = 0; asked < 20; asked++) expect(await counting(host, ada, notes)).toBe(0);
  });

  it('come back by themselves after somebody has killed them', async () => {
    const notes = await servers.newNotes();
    const host = await open();
    const ada = await welcomed(host, notes);
    const [killed] = servers.replicas as [MysqlFamilyServer];
    await killed.kill();
    for (let id = 1; id <= 5; id++) {
      await adding(host, ada, notes, id);
      expect(await counting(host, ada, notes)).toBe(id);
    }
    await eventually(async () =>
      expect(await statusOf(host, killed)).toMatchObject({ leftOut: 'It does not answer.' }),
    );
    await killed.restart();
    servers.forgetConnection(killed);
    await eventually(async () => expect((await statusOf(host, killed))?.leftOut).toBeUndefined());
    expect(await counting(host, ada, notes)).toBe(5);
  });

  it('are not used under a primary that numbers no transactions, and their status says why', async () => {
    const plain = await member.start(['--skip-log-bin']);
    onTestFinished(() => plain.stop());
    await plain.createDatabase('shop', ['create table notes (id int primary key)']);
    const host = await openHost(servers.uri(plain), { uris: uris() }, { inUse: 0, schemas: [] });
    const [status] = (await host.source.replicas?.look()) ?? [];
    expect(status?.leftOut).toContain('The primary cannot say how far it is.');
    const ada = new CookieClient(1);
    expect(await counting(host, ada, 'notes')).toBe(0);
  });
});
