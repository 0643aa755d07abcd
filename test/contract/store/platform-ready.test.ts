import { expect, it } from 'vitest';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { postgresPlace } from '../../helpers/store-engines.ts';
import { setUp, startTeamPlatform } from '../../helpers/team-server.ts';

const server = usePostgresServer();

it('a platform is not ready while its database is away, and is again afterwards', async () => {
  const store = postgresPlace(server, await server.createDatabase());
  const platform = await startTeamPlatform({}, { store });
  await setUp(platform);
  const ready = async () => {
    const response = await fetch(`${platform.url}/ready`);
    return [response.status, await response.json()];
  };
  expect(await ready()).toEqual([200, { status: 'ready' }]);
  await server.stop();
  const [status, answer] = await ready();
  expect([status, answer]).toEqual([503, { status: 'not-ready', reason: expect.stringMatching(/^The store /) }]);
  // Anybody may ask, so it names no machine.
  expect(JSON.stringify(answer)).not.toContain('127.0.0.1');
  expect((await fetch(`${platform.url}/health`)).status).toBe(200);
  await server.start();
  await expect.poll(ready).toEqual([200, { status: 'ready' }]);
});

it('two platforms that start together on an empty database both print a link that works', async () => {
  const store = postgresPlace(server, await server.createDatabase());
  const [one, other] = await Promise.all([startTeamPlatform({}, { store }), startTeamPlatform({}, { store })]);
  const links = await Promise.all([one.makeSetupLink(), other.makeSetupLink()]);
  expect(new Set(links.map((link) => link?.secret)).size).toBe(2);
  const { environments } = await setUp(other);
  const headers = { 'service-secret-key': environments[0]?.secret ?? '' };
  expect((await fetch(`${one.url}/agent/environment`, { headers })).status).toBe(200);
  expect(await one.makeSetupLink()).toBeUndefined();
});
