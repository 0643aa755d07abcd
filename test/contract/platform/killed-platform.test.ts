import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createHttp } from '#host/http/http-client';
import { sha256Hex } from '#host/system/digest';
import { systemClock } from '#host/system/system-clock';
import { systemRandom } from '#host/system/system-random';
import type { HttpRequest } from '#kernel/ports/http';
import { connectHost, createPlatformClient, type PlatformClient } from '#platform/index';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const program = fileURLToPath(new URL('platform-process.ts', import.meta.url));
/** `npm run test:kill` asks for more. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 5);
/** A round takes about two seconds on a machine with two cores. */
const timeoutMs = Math.max(180_000, rounds * 10_000);
const pushers = 4;
const server = usePostgresServer();

interface Running {
  readonly child: ChildProcess;
  readonly client: PlatformClient;
  readonly fetchBundle: (digest: string) => Promise<Uint8Array>;
}

async function start(store: string): Promise<Running> {
  const child = spawn(process.execPath, ['--conditions=vendor-source', program, store], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url: serverUrl, userToken } = JSON.parse(line) as { readonly url: string; readonly userToken: string };
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  // What was killed does not come back at its address.
  const triedOnce = { ...http, send: (request: HttpRequest) => http.send({ ...request, isRepeatable: false }) };
  const host = connectHost({ serverUrl, envSecret: 'e'.repeat(64), http, random: systemRandom });
  return {
    child,
    client: createPlatformClient({ serverUrl, http: triedOnce, credentials: { userToken } }),
    fetchBundle: host.fetchBundle,
  };
}

/** What the platform has said yes to. */
interface Acknowledged {
  readonly versions: Set<string>;
  readonly deployments: Set<number>;
}

/** Push new code again and again until the platform is gone. */
async function pushUntilKilled({ client }: Running, acknowledged: Acknowledged): Promise<void> {
  try {
    const { projectId } = await client.me();
    for (;;) {
      const code = Buffer.from(`module.exports = () => '${randomUUID()}';`.repeat(200));
      const content = { digest: sha256Hex(code), sizeBytes: code.byteLength };
      await client.uploadBundle(content.digest, code);
      const origin = { builtWith: '0.1.0', gitCommit: null };
      const parts = { code: content, permissions: null, dataSources: {} };
      const version = await client.createVersion({
        manifest: { formatVersion: 2, projectId, ...parts, ...origin },
        message: '',
        idempotencyKey: randomUUID(),
      });
      acknowledged.versions.add(version.digest);
      const { live } = await client.listDeployments({ limit: 1 });
      const target = { version: version.number };
      const deployment = await client
        .createDeployment({ target, base: live, idempotencyKey: randomUUID() })
        // Another pusher was quicker.
        .catch((error: { readonly code: string }) =>
          error.code === 'REQUEST_CONFLICT' ? undefined : Promise.reject(error),
        );
      if (deployment) acknowledged.deployments.add(deployment.number);
    }
  } catch (error) {
    expect((error as { readonly code: string }).code).toMatch(/^PLATFORM_/);
  }
}

async function expectNothingLost(store: string): Promise<void> {
  const acknowledged: Acknowledged = { versions: new Set(), deployments: new Set() };
  let running = await start(store);
  for (let round = 0; round < rounds; round++) {
    const pushing = Array.from({ length: pushers }, () => pushUntilKilled(running, acknowledged));
    await pause(50 + Math.random() * 400);
    running.child.kill('SIGKILL');
    await Promise.all([once(running.child, 'exit'), ...pushing]);
    running = await start(store);
    await expectWhole(running, acknowledged);
  }
  running.child.kill('SIGKILL');
  expect(acknowledged.versions.size).toBeGreaterThan(rounds);
  expect(acknowledged.deployments.size).toBeGreaterThan(0);
}

/** Everything acknowledged is there, every version has its bytes, and one deployment at most is live. */
async function expectWhole({ client, fetchBundle }: Running, acknowledged: Acknowledged): Promise<void> {
  const versions: string[] = [];
  for (let before: number | undefined | null; before !== null; ) {
    const page = await client.listVersions({ limit: 100, before });
    versions.push(...page.versions.map(({ digest }) => digest));
    before = page.nextBefore;
  }
  expect([...acknowledged.versions].filter((digest) => !versions.includes(digest))).toEqual([]);
  for (const digest of versions) expect(sha256Hex(await fetchBundle(digest))).toBe(digest);
  const deployments: { readonly number: number; readonly state: string }[] = [];
  for (let before: number | undefined | null; before !== null; ) {
    const page = await client.listDeployments({ limit: 100, before });
    deployments.push(...page.deployments);
    before = page.nextBefore;
  }
  const numbers = new Set(deployments.map(({ number }) => number));
  expect([...acknowledged.deployments].filter((number) => !numbers.has(number))).toEqual([]);
  expect(deployments.map(({ number }) => number)).toEqual(deployments.map((_, index) => deployments.length - index));
  expect(deployments.filter(({ state }) => state === 'live').length).toBeLessThanOrEqual(1);
}

it(
  `${rounds} kills during pushes lose no acknowledged version and leave none without its bytes, on SQLite`,
  async () => {
    await expectNothingLost(`sqlite:${path.join(await temporaryFolder(), 'platform.sqlite')}`);
  },
  timeoutMs,
);

it(
  `${rounds} kills during pushes lose no acknowledged version and leave none without its bytes, on PostgreSQL`,
  async () => {
    const { host, port, user, password = '' } = server.parameters();
    const database = await server.createDatabase();
    await expectNothingLost(`postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`);
  },
  timeoutMs,
);
