import path from 'node:path';
import { expect, it } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

it('vendor-cloud tokens creates, lists, rotates and revokes tokens of the local platform', {
  tags: 'long',
}, async () => {
  const cwd = await createShopProject();
  const server = new DevProcess(bin, ['sandbox', '--port', '0'], { cwd });
  endWithTest(server.child);
  const { url } = (await server.next('ready'))['sandbox'] as { url: string };
  const run = (...parameters: string[]) => runCli(['tokens', ...parameters], { cwd });
  const statusFor = async (token: string) => {
    const answer = await fetch(`${url}/v1/rate-limit`, { headers: { authorization: `Bearer ${token}` } });
    return answer.status;
  };

  expect((await run('list')).stdout).toContain('has no API token yet.');
  const created = await run('create', '--scope', 'notes:read', 'ci', '--expires-in', '7d');
  expect(created).toMatchObject({ exitCode: 0 });
  expect(created.stdout).toMatch(/^svc_test_[0-9A-Za-z]{38}$/);
  expect(created.stderr).toContain('may use: notes:read.');
  expect(created.stderr).not.toContain('svc_');
  expect(await statusFor(created.stdout)).toBe(200);

  const listed = JSON.parse((await run('list', '--json')).stdout);
  expect(listed.tokens).toMatchObject([{ name: 'ci', scopes: ['notes:read'], expiresSoon: true, state: 'active' }]);
  const id = String(listed.tokens[0].id);
  const table = (await run('list')).stdout;
  expect(table).toContain(`Rotate it: vendor-cloud tokens rotate ${id}`);
  expect(table).not.toContain(created.stdout);

  const rotated = JSON.parse((await run('rotate', id, '--overlap', '0s', '--yes', '--json')).stdout);
  expect(await statusFor(created.stdout)).toBe(401);
  expect(await statusFor(rotated.token)).toBe(200);
  expect(await run('revoke', id, '--yes')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await statusFor(rotated.token)).toBe(401);

  const json = JSON.parse((await run('create', 'all', '--scope', 'all', '--never-expires', '--json')).stdout);
  expect(json).toMatchObject({ name: 'all', scopes: ['all'], expiresAt: null, token: expect.any(String) });
  expect(await run('create', 'x', '--expires-in', '367d')).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await run('create', 'x', '--scope', 'tokens:write')).toMatchObject({ exitCode: 2 });
  expect(await run('rotate', id, '--overlap', '25h')).toMatchObject({ exitCode: 2 });
  expect(await run('rotate', id)).toMatchObject({ exitCode: 5 });
  expect((await run('revoke', '999')).stderr).toContain('The project has no API token 999.');
});
