import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { activity } from '../helpers/audit-api.ts';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

it('vendor-cloud platform erase-person erases somebody from the logs, which hold afterwards', {
  tags: 'long',
}, async () => {
  const cwd = await createShopProject();
  const startServer = async () => {
    const server = new DevProcess(bin, ['sandbox', '--port', '0'], { cwd });
    endWithTest(server.child);
    const ready = await server.next('ready');
    return { server, ...(ready as { readonly sandbox: { readonly url: string }; readonly envSecret: string }) };
  };
  const { server, sandbox, envSecret } = await startServer();
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const agent = createPlatformClient({ serverUrl: sandbox.url, http, credentials: { envSecret } });
  const grace = { id: 70, email: 'grace@example.test', name: 'Grace Hopper', team: 'Operations', role: 'Operator' };
  const acts = [activity({ user: grace }), activity()];
  await agent.reportActivities(acts.map((act) => JSON.stringify(act)));

  const store = ['--store', 'sqlite:.vendor-cloud/platform.sqlite'];
  const erase = (...parameters: string[]) => runCli(['platform', 'erase-person', ...parameters, ...store], { cwd });
  expect((await erase('grace@example.test', '--yes')).stderr).toContain('PLATFORM_STORE_IN_USE');
  await server.interrupt();

  const dry = await erase('grace@example.test', '--dry-run');
  expect(dry).toMatchObject({ exitCode: 0 });
  expect(dry.stdout).toMatch(/shop\/development +1 +0 +0\n\nNothing was erased\./);
  const unasked = await erase('grace@example.test');
  expect(unasked).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unasked.stderr).toContain('"grace@example.test" in 1 row of the audit logs');
  expect(unasked.stderr).toContain('--yes');
  for (const text of ['about Grace@example.test', 'two\nlines', 'x'.repeat(201)]) {
    expect(await erase('grace@example.test', '--yes', '--reference', text)).toMatchObject({ exitCode: 2 });
  }
  expect(await erase('grace@example.test', '--yes', '--by', 'Grace@example.test')).toMatchObject({ exitCode: 2 });
  expect(await erase('grace', '--yes')).toMatchObject({ exitCode: 2 });
  const wrongKey = { SERVICE_PLATFORM_KEY: 'cd'.repeat(32) };
  const refused = await runCli(['platform', 'erase-person', 'grace@example.test', '--yes', ...store], {
    cwd,
    env: wrongKey,
  });
  expect(refused).toMatchObject({ exitCode: 7, stdout: '' });
  const nowhere = ['platform', 'erase-person', 'grace@example.test', '--yes', '--store', 'sqlite:nowhere.sqlite'];
  expect(await runCli(nowhere, { cwd, env: wrongKey })).toMatchObject({ exitCode: 7, stdout: '' });

  const erased = await erase(
    'grace@example.test',
    '--yes',
    '--reference',
    'ticket 17',
    '--by',
    'privacy officer',
    '--json',
  );
  expect(JSON.parse(erased.stdout)).toMatchObject({
    isErased: true,
    logs: [{ project: 'shop', environment: 'development', rows: 1, rowsThatStay: 0 }],
  });
  expect((await erase('grace@example.test')).stdout).toContain('No audit log and no note in');
  expect(await runCli(['platform', 'verify', ...store], { cwd })).toMatchObject({ exitCode: 0 });

  await startServer();
  const run = (...parameters: string[]) => runCli(['audit', ...parameters], { cwd });
  expect((await run('search', '--user', 'grace@example.test')).stdout).toBe('No log fulfils these conditions.');
  expect((await run('search')).stdout).toContain('erased@erased.inval');
  const who = /Somebody was erased from 1 row by privacy officer, at \S+: ticket 17\./;
  expect(await run('verify')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(who) });
  expect((await run('tail', '--once', '--from-start')).stdout).toMatch(
    /a person was erased from earlier rows by privacy officer: ticket 17/,
  );
});
