import { expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { createHostChoice, type PostgresServer, serversOf } from '#node/postgres/postgres-hosts';

const places = (host: string, port?: number) =>
  serversOf({ host, port, database: 'shop' }).map((server) => `${server.host} ${server.port} ${server.target}`);

it('a list of hosts names servers, each with its port and with what it has to be', () => {
  expect(places('db1')).toEqual(['db1 5432 any']);
  expect(places('db1,db2:5433', 6000)).toEqual(['db1 6000 primary', 'db2 5433 primary']);
  expect(places('::1')).toEqual(['::1 5432 any']);
  expect(places('[::1]:5433,/run/pg:1')).toEqual(['::1 5433 primary', '/run/pg:1 5432 primary']);
});

/** Servers that answer when the test says so. */
function openChoice(host: string) {
  const waiting = new Map<string, PromiseWithResolvers<string>>();
  const asked: string[] = [];
  const discarded: string[] = [];
  const choice = createHostChoice({ host, database: 'shop' });
  const open = (server: PostgresServer) => {
    asked.push(server.host);
    const answer = Promise.withResolvers<string>();
    waiting.set(server.host, answer);
    return answer.promise;
  };
  const discard = async (connection: string) => void discarded.push(connection);
  return { asked, discarded, open: () => choice.open(open, discard), at: (name: string) => waiting.get(name) };
}

const away = (name: string) => cloudError('DATABASE_UNREACHABLE', `${name} is away.`, 'Start it.');

it('a choice asks the others when the likely server fails, and begins with the one that did last', async () => {
  const hosts = openChoice('a,b,c');
  const first = hosts.open();
  hosts.at('a')?.reject(away('a'));
  await expect.poll(() => hosts.asked).toEqual(['a', 'b', 'c']);
  hosts.at('c')?.resolve('at c');
  expect(await first).toBe('at c');
  hosts.at('b')?.resolve('at b');
  await expect.poll(() => hosts.discarded).toEqual(['at b']);
  const second = hosts.open();
  hosts.at('c')?.resolve('at c again');
  expect(await second).toBe('at c again');
  expect(hosts.asked).toEqual(['a', 'b', 'c', 'c']);
});

it('a choice does not wait for a server that swallows packets', async () => {
  const hosts = openChoice('silent,b');
  const opened = hosts.open();
  await expect.poll(() => hosts.asked).toEqual(['silent', 'b']);
  hosts.at('b')?.resolve('at b');
  expect(await opened).toBe('at b');
});

it('a choice without a server says what all say, or what tells the most', async () => {
  const hosts = openChoice('a,b');
  const opened = hosts.open();
  hosts.at('a')?.reject(away('a'));
  await expect.poll(() => hosts.asked).toEqual(['a', 'b']);
  hosts.at('b')?.reject(away('b'));
  await expect(opened).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE', message: 'a is away. b is away.' });
  const again = hosts.open();
  hosts.at('a')?.reject(away('a'));
  await expect.poll(() => hosts.asked).toHaveLength(4);
  hosts.at('b')?.reject(cloudError('DATABASE_AUTHENTICATION_FAILED', 'Who?', 'Sign in.'));
  await expect(again).rejects.toMatchObject({ code: 'DATABASE_AUTHENTICATION_FAILED' });
});
