import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { Activity } from '#contracts/activity';
import { verifierOf } from '#contracts/audit/signing';
import { verifyExport } from '#contracts/audit/verify-export';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { deriveCheckpointKey } from '#platform/audit/checkpoints';
import { activity } from '../../helpers/audit-api.ts';
import { endWithTest } from '../../helpers/end-with-test.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const program = fileURLToPath(new URL('../platform/platform-process.ts', import.meta.url));
const canLimitFiles = process.platform === 'linux';
const reason = canLimitFiles ? '' : ' (skipped: only Linux refuses large files this way)';
const keys = [verifierOf(deriveCheckpointKey('a'.repeat(64)))];
const timeoutMs = 60_000;
const largeVariables = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`LARGE_${index}`, 'x'.repeat(30_000)]),
);

/** @param limit a command that runs before the platform, in its shell. */
async function start(file: string, limit = 'true') {
  const command = `${limit}; exec "$0" --conditions=vendor-source "$1" "sqlite:$2"`;
  const child = spawn('bash', ['-c', command, process.execPath, program, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithTest(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url, userToken } = JSON.parse(line) as { readonly url: string; readonly userToken: string };
  const headers = { authorization: `Bearer ${userToken}` };
  return {
    report: (activities: readonly Activity[]) =>
      fetch(`${url}/agent/v1/activities`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'service-secret-key': 'e'.repeat(64) },
        body: JSON.stringify({ activities }),
      }),
    /** A change that the log of changes must have. It is too large for a disk that is almost full. */
    setVariables: () =>
      fetch(`${url}/api/variables`, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ base: 0, set: largeVariables }),
      }),
    read: (what: string) => fetch(`${url}/v1/project/shop/environment/development/activity-logs${what}`, { headers }),
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

type Platform = Awaited<ReturnType<typeof start>>;

function report(): readonly Activity[] {
  return Array.from({ length: 10 }, () => activity());
}

async function expectUnavailable(answer: Response): Promise<void> {
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await answer.json()).toMatchObject({});
}

/** Either a whole answer or a refusal. */
async function expectWholePage(answer: Response): Promise<void> {
  expect([200, 503]).toContain(answer.status);
  expect(await answer.json()).toMatchObject(answer.status === 200 ? { data: expect.any(Array) } : { status: 503 });
}

async function expectLoggedOnce(platform: Platform, expected: readonly string[]): Promise<void> {
  const text = await (await platform.read('/export?format=ndjson')).text();
  const lines = text.trimEnd().split('\n');
  expect(await verifyExport(lines, { keys })).toMatchObject({ outcome: 'holds', problem: null });
  const rows = lines.map((line) => JSON.parse(line) as { readonly object: string; readonly id: string });
  const ids = rows.filter(({ object }) => object === 'activityLog').map(({ id }) => id);
  expect(ids.toSorted()).toEqual(expected.toSorted());
}

it.skipIf(!canLimitFiles)(
  `a full disk refuses reports and changes, and loses nothing that was acknowledged${reason}`,
  async () => {
    const file = path.join(await temporaryFolder(), 'platform.sqlite');
    // The system refuses to make a file larger than this many blocks, as a quota does.
    const full = await start(file, 'ulimit -f 3000');
    const acknowledged: string[] = [];
    let refused: readonly Activity[] = [];
    while (refused.length === 0) {
      const activities = report();
      const answer = await full.report(activities);
      if (answer.status === 204) acknowledged.push(...activities.map(({ id }) => id));
      else {
        await expectUnavailable(answer);
        refused = activities;
      }
    }
    expect(acknowledged.length).toBeGreaterThan(20);
    await expectUnavailable(await full.report(refused));
    await expectUnavailable(await full.setVariables());
    await expectWholePage(await full.read('?limit=100'));
    await full.kill();

    const roomy = await start(file);
    await expectLoggedOnce(roomy, acknowledged);
    expect((await roomy.report(refused)).status).toBe(204);
    expect((await roomy.report(refused)).status).toBe(204);
    await expectLoggedOnce(roomy, [...acknowledged, ...refused.map(({ id }) => id)]);
  },
  timeoutMs,
);

it('a file that another program has locked for longer than five seconds refuses reports, which are taken afterwards', {
  tags: 'long',
  timeout: timeoutMs,
}, async () => {
  const file = path.join(await temporaryFolder(), 'platform.sqlite');
  const platform = await start(file);
  const [before, during] = [report(), report()];
  expect((await platform.report(before)).status).toBe(204);
  const other = await openSqlite(file);
  onTestFinished(() => other.close());
  other.execute('begin immediate');
  await expectUnavailable(await platform.report(during));
  other.execute('rollback');
  await expectWholePage(await platform.read('?limit=100'));
  expect((await platform.report(during)).status).toBe(204);
  await expectLoggedOnce(
    platform,
    [...before, ...during].map(({ id }) => id),
  );
});

it('a damaged page of the log is reported, and no answer is half a document', {
  tags: 'long',
  timeout: timeoutMs,
}, async () => {
  const file = path.join(await temporaryFolder(), 'platform.sqlite');
  const first = await start(file);
  const reports = Array.from({ length: 20 }, report);
  for (const activities of reports) expect((await first.report(activities)).status).toBe(204);
  await first.kill();
  // Opened and closed, the file has all that its log had.
  const connection = await openSqlite(file);
  connection.execute('pragma wal_checkpoint(truncate)');
  const pageSize = Number(connection.all('pragma page_size')[0]?.['page_size']);
  connection.close();
  const content = await readFile(file);
  // The rows of the first page are read when the platform starts.
  const place = content.indexOf(`"id":"${reports[5]?.[0]?.id}"`);
  expect(place).toBeGreaterThan(0);
  const page = Math.floor(place / pageSize) * pageSize;
  await writeFile(file, content.fill(0xff, page, page + pageSize));

  const damaged = await start(file);
  await expectUnavailable(await damaged.read('?order=asc&limit=100'));
  await expectWholePage(await damaged.read('?limit=100'));
  const exported = await damaged.read('/export?format=ndjson');
  const text = await exported.text().catch(() => '');
  expect(text).not.toContain('"object":"end"');
  for (const line of text.split('\n').filter(Boolean)) expect(() => JSON.parse(line)).not.toThrow();
});
