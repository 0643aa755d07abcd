import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

it('vendor-cloud notes begins, lists, answers, renames and archives notes of the local platform', {
  tags: 'long',
}, async () => {
  const cwd = await createShopProject();
  const server = new DevProcess(bin, ['sandbox', '--port', '0'], { cwd });
  endWithTest(server.child);
  await server.next('ready');
  const run = (...parameters: string[]) => runCli(['notes', ...parameters], { cwd });
  const onRecord = ['--collection', 'orders', '--record', '7'];

  expect((await run('list')).stdout).toContain('has no such note.');
  const created = await run('create', ...onRecord, '--title', 'Late', '--content', '<p>Where <b>is</b> it?</p>');
  expect(created).toMatchObject({ exitCode: 0, stderr: '' });
  expect(created.stdout).toMatch(/^#1 Late\norders 7, team Operations\n\n.* UTC\nWhere is it\?$/);

  const piped = spawn(process.execPath, [bin, 'notes', 'reply', '1', '--json'], { cwd });
  piped.stdin.end('<ul><li>Soon &lt;3</li></ul>\n');
  let answered = '';
  piped.stdout.on('data', (part: Buffer) => {
    answered += part.toString();
  });
  const [exitCode] = await once(piped, 'close');
  expect([exitCode, JSON.parse(answered).messages.length]).toEqual([0, 2]);
  expect((await run('get', '1')).stdout).toContain('\n- Soon <3');

  const { etag } = JSON.parse((await run('get', '1', '--json')).stdout) as { etag: string };
  const title = `A title that is much longer than a column of the list ${'x'.repeat(100)}`;
  expect(await run('update', '1', '--title', title, '--etag', etag)).toMatchObject({ exitCode: 0 });
  const stale = await run('update', '1', '--title', 'Other', '--etag', etag);
  expect(stale).toMatchObject({ exitCode: 5, stdout: '' });
  expect(stale.stderr).toContain('has changed since you read it');
  // A program that reads it wants every word.
  expect((await run('list', ...onRecord)).stdout).not.toContain('…');
  expect((await run('archive', '1')).stdout).toContain('archived on');
  expect(await run('reply', '1', '--content', 'more')).toMatchObject({ exitCode: 5 });
  expect((await run('archive', '1', '--undo')).stdout).not.toContain('archived');

  const absent = await run('get', '9');
  expect(absent.stderr).toContain('The environment has no note 9.');
  expect(absent.exitCode).toBe(2);
  expect(await run('create', ...onRecord, '--title', 'x', '--content', '<script>x</script>')).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('The content is empty'),
  });
  expect(await run('list', '--env', 'nowhere')).toMatchObject({ exitCode: 2 });
  expect(await run('create', '--title', 'x')).toMatchObject({ exitCode: 2 });
});
