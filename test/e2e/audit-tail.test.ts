import path from 'node:path';
import { expect, it } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

it('vendor-cloud audit tail shows rows as lines for people, as JSON and in other formats', {
  tags: 'long',
}, async () => {
  const cwd = await createShopProject();
  const server = new DevProcess(bin, ['sandbox', '--port', '0'], { cwd });
  endWithTest(server.child);
  await server.next('ready');
  const run = (...parameters: string[]) =>
    runCli(['audit', 'tail', '--admin', '--from-start', '--once', ...parameters], { cwd });

  const people = await run();
  expect(people).toMatchObject({ exitCode: 0, stderr: '' });
  expect(people.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+ (?:add|initial) /m);
  const rows = people.stdout.split('\n').length;

  const json = (await run('--json')).stdout.split('\n').map((line) => JSON.parse(line) as { readonly object: string });
  expect(json.map(({ object }) => object)).toEqual(Array(rows).fill('adminLog'));
  expect((await run('--format', 'cef')).stdout.split('\n').every((line) => line.startsWith('CEF:0|'))).toBe(true);

  const file = await run('--to', 'file:changes.ndjson', '--state', 'changes.state');
  expect(file).toMatchObject({ exitCode: 0, stdout: '', stderr: `Delivered ${rows} rows.` });
  expect((await run('--to', 'file:changes.ndjson', '--state', 'changes.state')).stderr).toBe('Delivered 0 rows.');
  const verified = await runCli(['audit', 'verify', '--file', 'changes.ndjson'], { cwd });
  expect(verified.stderr).toContain('No public key of the platform is known from elsewhere.');
  expect(await run('--to', 'nowhere')).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await run('--to', 'hec:https://splunk.example')).toMatchObject({ exitCode: 2 });
});
