import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SignJWT } from 'jose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { hostVariablesSchema } from '#contracts/hosting';
import type { SetupResult } from '#contracts/setup';
import { DevProcess } from '../helpers/dev-process.ts';
import { runCli } from '../helpers/run-cli.ts';
import { firstAdministrator, postSetup } from '../helpers/team-server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

function start(cwd: string, parameters: readonly string[], env: Record<string, string> = {}): DevProcess {
  const started = new DevProcess(bin, parameters, { cwd, env });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

/** Everything a team needs: a platform in a process of its own, set up, and a project to push. */
async function startTeam() {
  const folder = await temporaryFolder();
  const platform = start(folder, ['platform', 'start', '--listen', '127.0.0.1:0']);
  const { url } = (await platform.next('listening')) as unknown as { readonly url: string };
  const link = new URL(String((await platform.next('setup'))['url']));
  const setUp = await postSetup(url, { secret: link.hash.slice(1), ...firstAdministrator });
  const { user, environments, userToken } = (await setUp.json()) as SetupResult;
  const secret = environments.find(({ name }) => name === 'production')?.secret ?? '';
  expect((await runCli(['bootstrap', 'shop', '--template', 'shop'], { cwd: folder })).exitCode).toBe(0);
  const root = path.join(folder, 'shop');
  const env = { SERVICE_SERVER_URL: url, SERVICE_AUTH_TOKEN: userToken };
  const run = (...parameters: string[]) =>
    runCli([...parameters, '--json'], { cwd: root, env: { ...env, SERVICE_ENV: 'production' } });
  const host = start(
    root,
    ['serve', '--listen', '127.0.0.1:0', '--mcp-port', '0', '--workers', '2', '--name', 'berlin-1'],
    { SERVICE_SERVER_URL: url, SERVICE_ENV_SECRET: secret },
  );
  await host.next('waiting');
  return { folder, platform, url, user, secret, root, run, host };
}

/** A session token of somebody, as any host of the environment takes it. */
async function tokenFor(url: string, secret: string, user: SetupResult['user']): Promise<string> {
  const answer = await fetch(`${url}/host/v1/variables/0`, { headers: { 'service-secret-key': secret } });
  const { authSecret } = hostVariablesSchema.parse(await answer.json());
  const claims = { id: user.id, email: user.email, firstName: 'Ada', lastName: 'Lovelace', team: 'Operations' };
  return new SignJWT({ ...claims, role: 'Administrators', permissionLevel: 'admin', renderingId: 3, tags: {} })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(authSecret));
}

it('a team starts a platform, pushes code that serves in production, restricts a role, and survives its failures', async () => {
  const { folder, platform, url, user, secret, root, run, host } = await startTeam();
  const pushed = await run('push', '--message', 'first');
  expect(pushed).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(pushed.stdout)).toMatchObject({ environment: 'production', deployment: { state: 'live' } });
  const agent = String((await host.next('serving'))['url']);
  const headers = { authorization: `Bearer ${await tokenFor(url, secret, user)}` };
  const statusOf = async (collection: string) =>
    (await fetch(`${agent}/${collection}?timezone=UTC&page[size]=1`, { headers })).status;
  await vi.waitFor(async () => expect(await statusOf('orders')).toBe(200));

  const rights = { roles: { Administrators: { collections: { customers: { browse: true, read: true } } } } };
  await writeFile(path.join(root, 'permissions.json'), JSON.stringify(rights));
  expect((await run('permissions', 'diff')).exitCode).toBe(1);
  expect(await run('permissions', 'apply', '--yes')).toMatchObject({ exitCode: 0 });
  await vi.waitFor(async () => expect(await statusOf('orders')).toBe(403));
  expect(await statusOf('customers')).toBe(200);
  expect((await run('permissions', 'diff')).exitCode).toBe(0);

  const entry = path.join(root, 'src/index.ts');
  const good = await readFile(entry, 'utf8');
  await writeFile(entry, "export default () => { throw new Error('broken on purpose'); };");
  const broken = await run('push', '--message', 'broken');
  expect(broken.exitCode).toBe(1);
  expect(broken.stdout).toContain('broken on purpose');
  expect(await statusOf('customers')).toBe(200);
  await writeFile(entry, `${good}\n// second`);
  expect((await run('push', '--message', 'second')).exitCode).toBe(0);
  expect(JSON.parse((await run('rollback')).stdout)).toMatchObject({ deployment: { version: 1, state: 'live' } });

  platform.child.kill('SIGKILL');
  await once(platform.child, 'exit');
  expect(await statusOf('customers')).toBe(200);
  await host.interrupt();
  const state = start(root, ['serve', '--listen', '127.0.0.1:0', '--mcp-port', '0', '--workers', '1'], {
    SERVICE_SERVER_URL: url,
    SERVICE_ENV_SECRET: secret,
  });
  await state.next('platform-away');
  const again = String((await state.next('serving'))['url']);
  expect((await fetch(`${again}/customers?timezone=UTC&page[size]=1`, { headers })).status).toBe(200);
  start(folder, ['platform', 'start', '--listen', new URL(url).host]);
  await state.next('platform-back');
  const versions = await run('versions');
  expect(versions.exitCode).toBe(0);
});
