import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { verifyExport } from '#contracts/audit/verify-export';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { sha256Hex } from '#node/system/digest';
import { activity } from '../../helpers/audit-api.ts';
import { eventuallyTrue } from '../../helpers/eventually.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { keys, type Running, start } from './start-platform-process.ts';

/** `npm run test:kill` asks for more. */
/** On each engine: ten kills in all. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 1);
/** A round takes about two seconds on a machine with two cores. */
const timeoutMs = Math.max(15 * 60_000, rounds * 60_000);
const pushers = 4;
const reporters = 2;
const actsPerReport = 10;
const server = usePostgresServer();

/** What the platform has said yes to. */
interface Acknowledged {
  readonly versions: Set<string>;
  readonly deployments: Set<number>;
  readonly acts: Set<string>;
}

/** What an agent has reported without an answer. It reports it again. */
type Outbox = (readonly string[])[];

/** Push new code again and again until the platform is gone. @param onDeployed is called for each push that is live. */
async function pushUntilKilled({ client }: Running, acknowledged: Acknowledged, onDeployed: () => void): Promise<void> {
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
      if (!deployment) continue;
      acknowledged.deployments.add(deployment.number);
      onDeployed();
    }
  } catch (error) {
    expect((error as { readonly code: string }).code).toMatch(/^PLATFORM_/);
  }
}

/** Report acts as an agent does, until the platform is gone: what was not acknowledged is sent again first. */
async function reportUntilKilled({ client }: Running, { acts }: Acknowledged, outbox: Outbox): Promise<void> {
  try {
    for (;;) {
      if (outbox.length === 0) outbox.push(Array.from({ length: actsPerReport }, () => randomUUID()));
      const ids = outbox[0] ?? [];
      await client.reportActivities(ids.map((id) => JSON.stringify(activity({ id }))));
      for (const id of ids) acts.add(id);
      outbox.shift();
    }
  } catch (error) {
    expect((error as { readonly code: string }).code).toMatch(/^PLATFORM_/);
  }
}

async function expectNothingLost(store: string, checkStore: () => Promise<void>): Promise<void> {
  const acknowledged: Acknowledged = { versions: new Set(), deployments: new Set(), acts: new Set() };
  const outboxes = Array.from({ length: reporters }, (): Outbox => []);
  let running = await start(store);
  // From the first row on, the log has a chain to export.
  const first = activity();
  await running.client.reportActivities([JSON.stringify(first)]);
  acknowledged.acts.add(first.id);
  for (let round = 0; round < rounds; round++) {
    const deployed = Promise.withResolvers<void>();
    const pushing = Array.from({ length: pushers }, () => pushUntilKilled(running, acknowledged, deployed.resolve));
    const reporting = outboxes.map((outbox) => reportUntilKilled(running, acknowledged, outbox));
    // On a busy machine the first push takes longer than any pause.
    await deployed.promise;
    const enough = acknowledged.acts.size + actsPerReport;
    await eventuallyTrue(() => acknowledged.acts.size >= enough);
    await pause(Math.random() * 800);
    running.child.kill('SIGKILL');
    await Promise.all([once(running.child, 'exit'), ...pushing, ...reporting]);
    running = await start(store);
    await expectWhole(running, acknowledged);
    await expectLogged(running, acknowledged);
    await checkStore();
  }
  running.child.kill('SIGKILL');
  expect(acknowledged.versions.size).toBeGreaterThanOrEqual(rounds);
  expect(acknowledged.deployments.size).toBeGreaterThan(0);
  expect(acknowledged.acts.size).toBeGreaterThan(rounds * actsPerReport);
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

type LoggedRow = Readonly<Record<string, unknown>> & { readonly newValue?: Readonly<Record<string, unknown>> };

async function rowsOfWholeLog({ exportLog }: Running, log: string): Promise<readonly LoggedRow[]> {
  const lines = await exportLog(log);
  expect(await verifyExport(lines, { keys })).toMatchObject({ outcome: 'holds', problem: null, missing: [] });
  return lines.map((line) => JSON.parse(line) as LoggedRow);
}

/** The log has every acknowledged act and every change once; changes and their rows come together or not at all. */
async function expectLogged(running: Running, acknowledged: Acknowledged): Promise<void> {
  const acts = await rowsOfWholeLog(running, 'environment/development/activity-logs');
  const ids = acts.filter(({ object }) => object === 'activityLog').map(({ id }) => String(id));
  const logged = new Set(ids);
  expect(logged.size).toBe(ids.length);
  expect([...acknowledged.acts].filter((id) => !logged.has(id))).toEqual([]);
  // A report is stored whole or not at all; the first act came only.
  expect(logged.size % actsPerReport).toBe(1);

  const changes = await rowsOfWholeLog(running, 'admin-logs');
  const added = (resource: string) =>
    changes.flatMap((row) => (row['resource'] === resource && row['type'] === 'add' ? [row.newValue?.['number']] : []));
  const inOrder = (count: number | undefined) => Array.from({ length: count ?? 0 }, (_, index) => index + 1);
  const { versions } = await running.client.listVersions({ limit: 1 });
  const { deployments } = await running.client.listDeployments({ limit: 1 });
  expect(added('version')).toEqual(inOrder(versions[0]?.number));
  expect(added('deployment')).toEqual(inOrder(deployments[0]?.number));
}

async function checkIntegrity(file: string): Promise<void> {
  const connection = await openSqlite(file, { isReadOnly: true });
  try {
    expect(connection.all('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  } finally {
    connection.close();
  }
}

it(
  `${rounds} kills during pushes and reports lose nothing acknowledged, and the log has it once, on SQLite`,
  async () => {
    const file = path.join(await temporaryFolder(), 'platform.sqlite');
    await expectNothingLost(`sqlite:${file}`, () => checkIntegrity(file));
  },
  timeoutMs,
);

it(
  `${rounds} kills during pushes and reports lose nothing acknowledged, and the log has it once, on PostgreSQL`,
  async () => {
    const { host, port, user, password = '' } = server.parameters();
    const database = await server.createDatabase();
    await expectNothingLost(
      `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`,
      async () => undefined,
    );
  },
  timeoutMs,
);
