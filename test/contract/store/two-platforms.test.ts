import { expect, it, onTestFinished } from 'vitest';
import { type Logger, silentLogger } from '#kernel/ports/logger';
import { createHttp } from '#node/http/http-client';
import { sha256Hex } from '#node/system/digest';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { startSandbox } from '#sandbox/index';
import { eventually } from '../../helpers/eventually.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { postgresPlace } from '../../helpers/store-engines.ts';

const envSecret = 'a'.repeat(64);
const server = usePostgresServer();

/** Two processes of one platform, as far as those who call them can tell. */
async function startTwo({ isForTests = false, logger = silentLogger }: { isForTests?: boolean; logger?: Logger } = {}) {
  const store = postgresPlace(server, await server.createDatabase());
  const start = async () => {
    const sandbox = await startSandbox({
      store,
      port: { port: 0, isExact: true },
      clock: systemClock,
      random: systemRandom,
      logger,
      isForTests,
    });
    onTestFinished(() => sandbox.stop());
    return sandbox;
  };
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  return { sandboxes: await Promise.all([start(), start()]), http };
}

it('two platforms on one PostgreSQL know the same people, tokens and versions', async () => {
  const { sandboxes, http } = await startTwo();
  const [first, second] = sandboxes;
  const user = { name: 'Ada Lovelace', email: 'ada@example.test' };
  const { userToken } = await first.provisionDevelopment({ project: 'shop', envSecret, user });
  const clientOf = (serverUrl: string) =>
    createPlatformClient({ serverUrl, http, credentials: { envSecret, userToken } });
  const [here, there] = [clientOf(first.url), clientOf(second.url)];
  expect((await there.environment()).data.attributes.name).toBe('development');
  const code = Buffer.from('export default () => {};');
  const content = { digest: sha256Hex(code), sizeBytes: code.byteLength };
  await here.uploadBundle(content.digest, code);
  const { projectId } = await there.me();
  const manifest = { formatVersion: 2 as const, projectId, code: content, permissions: null, dataSources: {} };
  const version = await there.createVersion({
    manifest: { ...manifest, builtWith: '0.1.0', gitCommit: null },
    message: 'first',
    idempotencyKey: systemRandom.uuid(),
  });
  expect((await here.listVersions()).versions).toEqual([version]);
  await first.revoke(userToken);
  await expect(there.listVersions()).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
});

it('an agent hears at one of them what was changed at the other', async () => {
  const { sandboxes } = await startTwo({ isForTests: true });
  const [first, second] = sandboxes;
  const headers = { 'service-secret-key': envSecret };
  const stream = await fetch(`${second.url}/agent/v4/subscribe-to-events`, { headers });
  let heard = '';
  const reading = (async () => {
    for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) heard += text;
  })();
  await eventually(() => expect(heard).toContain('heartbeat'));
  await fetch(`${first.url}/permission-override`, { method: 'DELETE', headers });
  await eventually(() => expect(heard).toContain('event: refresh-roles'));
  await second.stop();
  await reading;
});

it('a platform whose database is away says so in its answers and its log, and goes on when it is back', async () => {
  const logged: unknown[] = [];
  const { sandboxes } = await startTwo({
    logger: { ...silentLogger, log: (level, message, fields) => logged.push({ level, message, ...fields }) },
  });
  const [{ url, provisionDevelopment }] = sandboxes;
  await provisionDevelopment({ project: 'shop', envSecret, user: { name: 'Ada', email: 'ada@example.test' } });
  const ask = () => fetch(`${url}/agent/environment`, { headers: { 'service-secret-key': envSecret } });
  expect((await ask()).status).toBe(200);
  await server.stop();
  const refused = await ask();
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ errors: [{ code: 'PLATFORM_STORE_UNAVAILABLE' }] });
  expect(logged).toContainEqual(
    expect.objectContaining({
      level: 'Error',
      message: expect.stringMatching(/database test_\d+ at 127.0.0.1/),
      nextSteps: [expect.any(String)],
    }),
  );
  await server.start();
  expect((await ask()).status).toBe(200);
});
