import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { startSandbox } from '#sandbox/index';
import { eventually } from '../../helpers/eventually.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { postgresPlace } from '../../helpers/store-engines.ts';

const envSecret = 'a'.repeat(64);
const server = usePostgresServer();

/** What a listener is sent until the platform stops, as `<number> <name>`; heartbeats left out. */
async function listen(url: string, headers: Record<string, string>) {
  const response = await fetch(`${url}/agent/v4/subscribe-to-events`, {
    headers: { 'service-secret-key': envSecret, ...headers },
  });
  const heard: string[] = [];
  const reading = (async () => {
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const events = [...text.matchAll(/id: (\d+)\nevent: (\S+)\n/g)].map(([, id, name]) => `${id} ${name}`);
      heard.splice(0, heard.length, ...events.filter((event) => !event.endsWith('heartbeat')));
    }
  })();
  return { heard, reading };
}

it('an agent that comes back to another process of the platform is sent what it missed, and is listed by both', async () => {
  const store = postgresPlace(server, await server.createDatabase());
  const options = { store, clock: systemClock, random: systemRandom, logger: silentLogger };
  const start = () => startSandbox({ ...options, port: { port: 0, isExact: true } });
  const [first, second] = await Promise.all([start(), start()]);
  onTestFinished(() => second.stop());
  const user = { name: 'Ada', email: 'ada@example.test' };
  const { userToken } = await first.provisionDevelopment({ project: 'shop', envSecret, user });
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const client = createPlatformClient({ serverUrl: second.url, http, credentials: { userToken } });
  const agent = { 'service-agent-id': systemRandom.uuid() };
  const set = (base: number) =>
    client.replaceRights({
      document: { roles: { [`role ${base}`]: { collections: {} } } },
      base,
      allowUnknown: true,
      allowLockout: true,
    });

  const before = await listen(first.url, agent);
  await set(0);
  const initial = ['2 refresh-users', '3 refresh-renderings', '4 refresh-ip-rules', '5 refresh-roles'];
  await eventually(() => expect(before.heard).toEqual(initial));
  expect((await client.agents()).agents).toHaveLength(1);
  await first.stop();
  await before.reading;
  await set(1);

  const after = await listen(second.url, { ...agent, 'last-event-id': '4' });
  await set(2);
  await eventually(() => expect(after.heard).toEqual(['5 refresh-roles', '6 refresh-roles', '7 refresh-roles']));
  const ack = { agent: agent['service-agent-id'], id: 6 };
  const acknowledged = await fetch(`${second.url}/agent/v1/event-acks`, {
    method: 'POST',
    headers: { 'service-secret-key': envSecret, 'content-type': 'application/json' },
    body: JSON.stringify(ack),
  });
  expect(acknowledged.status).toBe(204);
  expect(await client.agents()).toMatchObject({
    newestEvent: 7,
    agents: [{ id: ack.agent, acknowledged: 6, lag: 1 }],
  });
});
