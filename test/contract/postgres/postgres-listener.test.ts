import { connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listenOnPostgres } from '#node/postgres/postgres-listener';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/free-port.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();

/** A way to the server. `freeze` stops what is open without a word, as a broken network does; new connections work. */
async function openWay() {
  const frozen = new Set<Socket>();
  const open = new Set<Socket>();
  const port = await freePort();
  const way = createServer((from) => {
    const to = connect(server.port, '127.0.0.1');
    for (const socket of [from, to]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    from.on('data', (bytes) => frozen.has(from) || to.write(bytes)).on('end', () => to.end());
    to.on('data', (bytes) => frozen.has(from) || from.write(bytes)).on('end', () => frozen.has(from) || from.end());
  });
  await new Promise<void>((resolve) => {
    way.listen(port, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    way.close();
  });
  return {
    port,
    freeze: () => {
      for (const socket of open) frozen.add(socket);
    },
  };
}

async function listen(port: number, checkMs: number) {
  const heard: string[] = [];
  const listener = await listenOnPostgres({ ...server.parameters(), port }, 'news', {
    onNotification: (payload) => heard.push(payload),
    onGap: () => heard.push('gap'),
    checkMs,
  });
  return { heard, listener };
}

const notify = (payload: string) => server.execute('postgres', `notify news, '${payload}'`);

it('a listener hears what is announced, and nothing after it was closed', async () => {
  const { heard, listener } = await listen(server.port, 10_000);
  await notify('first');
  await eventually(() => expect(heard).toEqual(['first']));
  await listener.close();
  await notify('second');
  const [left] = await server.execute('postgres', "select count(*) from pg_stat_activity where query = 'listen news'");
  expect(left).toEqual({ count: '0' });
  expect(heard).toEqual(['first']);
});

it('a listener notices a connection that is silently broken, and opens another one', async () => {
  const way = await openWay();
  const { heard, listener } = await listen(way.port, 100);
  onTestFinished(() => listener.close());
  way.freeze();
  await notify('lost');
  await eventually(() => expect(heard).toEqual(['gap']));
  await notify('after it');
  await eventually(() => expect(heard).toEqual(['gap', 'after it']));
});

it('a listener closes while its server does not answer', async () => {
  const way = await openWay();
  const { listener } = await listen(way.port, 10_000);
  way.freeze();
  await expect(listener.close()).resolves.toBeUndefined();
});

it('a listener cannot be opened on a server that is not there', async () => {
  await expect(listen(await freePort(), 10_000)).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
});
