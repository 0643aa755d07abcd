import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createHttp } from '#node/http/http-client';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { activity } from '../helpers/audit-api.ts';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

it('vendor-cloud audit finds who did it, exports the log, and proves or refutes it', { tags: 'long' }, async () => {
  const cwd = await createShopProject();
  const server = new DevProcess(bin, ['sandbox', '--port', '0'], { cwd });
  endWithTest(server.child);
  const { sandbox, envSecret } = (await server.next('ready')) as {
    readonly sandbox: { readonly url: string };
    readonly envSecret: string;
  };
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const agent = createPlatformClient({ serverUrl: sandbox.url, http, credentials: { envSecret } });
  const report = (...acts: ReturnType<typeof activity>[]) =>
    agent.reportActivities(acts.map((act) => JSON.stringify(act)));
  const run = (...parameters: string[]) => runCli(['audit', ...parameters], { cwd });

  expect((await run('verify')).stdout).toBe('✔ The log has no rows yet.');
  const client = { id: '7f3a', name: 'Assistant' };
  await report(
    activity({ action: 'delete' }),
    activity({ recordIds: ['8'], status: 'failed', client, tool: 'update' }),
  );
  const found = await run('search', '--collection', 'orders', '--record', '7');
  expect(found).toMatchObject({ exitCode: 0, stderr: '' });
  expect(found.stdout.split('\n')[1]).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}ada@example\.test +delete +orders +7 +✔/,
  );
  expect((await run('search')).stdout).toContain('failed');
  expect(JSON.parse((await run('search', '--user', 'nobody@example.test', '--json')).stdout)).toMatchObject({
    logs: [],
  });
  for (const program of ['7f3a', 'Assistant']) {
    const byProgram = await run('search', '--client', program, '--tool', 'update');
    expect(byProgram.stdout.split('\n').slice(1)).toEqual([expect.stringContaining('Assistant: update')]);
  }
  expect((await run('search', '--admin', '--client', '7f3a')).exitCode).toBe(2);
  expect((await run('search', '--admin')).stdout).toContain('initial environment');
  // A program that reads it wants every word.
  expect((await run('search', '--admin')).stdout).not.toContain('…');
  expect(await run('search', '--since', 'yesterday')).toMatchObject({ exitCode: 2, stdout: '' });
  expect((await run('search', '--env', 'developement')).stderr).toContain('Did you mean "development"?');

  expect((await run('export', '--file', 'log.ndjson')).stdout).toBe('✔ Wrote 2 rows to log.ndjson.');
  await report(activity());
  expect((await run('export', '--file', 'log.ndjson')).stdout).toBe('✔ Added 1 row to log.ndjson.');
  const key = (await run('key')).stdout;
  expect(key).toMatch(/^vendor-cloud\.audit\+/);
  const offline = await run('verify', '--file', 'log.ndjson', '--key', key);
  expect(offline).toMatchObject({ exitCode: 0 });
  expect(offline.stdout).toContain('The log holds: 3 rows, from 1 to 3');
  expect(await run('verify', '--file', 'log.ndjson')).toMatchObject({ exitCode: 5, stdout: '' });
  for (const flag of ['--anchor', '--file']) {
    const absent = await run('verify', flag, 'nowhere');
    expect(absent).toMatchObject({ exitCode: 2, stdout: '' });
    expect(absent.stderr).toContain('The file nowhere does not exist.');
    expect(absent.stderr).toContain(`Correct the path after ${flag}`);
  }
  const file = path.join(cwd, 'log.ndjson');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"status":"failed"', '"status":"completed"'));
  const broken = await run('verify', '--file', 'log.ndjson', '--key', key);
  expect(broken).toMatchObject({ exitCode: 1, stdout: '' });
  expect(broken.stderr).toContain('Row 2 was changed');
  await writeFile(file, text.slice(0, -40));
  expect((await run('export', '--file', 'log.ndjson')).stdout).toContain('✔ Added ');
  expect(await run('verify', '--file', 'log.ndjson', '--key', key)).toMatchObject({ exitCode: 0 });

  expect((await run('verify')).stdout).toContain('The log holds: 3 rows');
  expect((await run('verify', '--admin')).stdout).toContain('The log holds: ');
  const store = await runCli(['platform', 'verify', '--store', 'sqlite:.vendor-cloud/platform.sqlite'], { cwd });
  expect(store).toMatchObject({ exitCode: 0 });
  expect(store.stdout.match(/The log holds/g)).toHaveLength(2);
  // Two rows say that each of the logs begins, and that it has segments.
  expect(store.stdout).toContain('The register of the logs holds: 4 rows');

  // One file has the checkpoints of all logs.
  const kept = ['--anchor', '.vendor-cloud/platform.checkpoints'];
  for (const log of [['--env', 'development'], ['--admin'], ['--file', 'log.ndjson', '--key', key]]) {
    expect(await run('verify', ...log, ...kept), log.join(' ')).toMatchObject({ exitCode: 0 });
  }

  // Somebody puts an empty log in the place of the one that was verified.
  const thief = await openSqlite(path.join(cwd, '.vendor-cloud/platform.sqlite'));
  thief.execute("update audit_chains set environment_id = -1 where kind = 'activity'");
  thief.close();
  await report(activity());
  const replaced = await run('verify');
  expect(replaced).toMatchObject({ exitCode: 1, stdout: '' });
  expect(replaced.stderr).toContain('The log was replaced');
  const inStore = await runCli(['platform', 'verify', '--store', 'sqlite:.vendor-cloud/platform.sqlite'], { cwd });
  expect(inStore).toMatchObject({ exitCode: 1 });
  expect(inStore.stderr).toContain('belongs to another project or environment');
});
