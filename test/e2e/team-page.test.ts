import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import type { SetupResult } from '#contracts/setup';
import { DevProcess } from '../helpers/dev-process.ts';
import { redeemDeviceCode } from '../helpers/device-approval.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { firstAdministrator, postSetup } from '../helpers/team-server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const bin = path.join(repository, 'bin/vendor-cloud.js');
const { password } = firstAdministrator;

/** The shell blocks of the page, in order. */
async function blocks(): Promise<readonly string[]> {
  const page = await readFile(path.join(repository, 'docs/team.md'), 'utf8');
  return [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

/** A folder whose `npx` runs this checkout: the page is tried before the package is published. */
async function folderOfNpx(): Promise<string> {
  const folder = await temporaryFolder();
  const npx = path.join(folder, 'npx');
  await writeFile(
    npx,
    `#!/bin/sh\n[ "$1" = vendor-cloud ] || exit 64\nshift\nexec "${process.execPath}" "${bin}" "$@"\n`,
  );
  await chmod(npx, 0o755);
  return folder;
}

/** A process of the page that goes on, ended when the test ends. */
function start(block: string, cwd: string, env: Record<string, string>, parameters: readonly string[]): DevProcess {
  const [command = ''] = block.split('npx vendor-cloud ').slice(1);
  const started = new DevProcess(bin, [...command.trim().split(' '), ...parameters], { cwd, env });
  endWithTest(started.child);
  return started;
}

it('the page about a team leads from the first command to the first rollback, with one person invited', {
  tags: 'long',
}, async () => {
  const [create = '', platform = '', signIn = '', host = '', push = '', rights = '', invite = '', ask = '', ...rest] =
    await blocks();
  const [change = '', back = '', audit = ''] = rest;
  const folder = await temporaryFolder();
  const [npx, ada, bob] = [await folderOfNpx(), path.join(folder, 'ada'), path.join(folder, 'bob')];
  await Promise.all([mkdir(ada), mkdir(bob)]);
  const addresses = new Map<string, string>();
  const shell = async (block: string, home: string, cwd: string) => {
    let script = block;
    for (const [written, actual] of addresses) script = script.replaceAll(written, actual);
    // No test waits for a registry of packages.
    const env = { PATH: `${npx}:${process.env['PATH']}`, HOME: home, SERVICE_INSTALL: 'false' };
    return (await execa('bash', ['-euo', 'pipefail', '-c', script], { cwd, env, extendEnv: false })).stdout;
  };

  expect(await shell(create, ada, ada)).toContain('Created shop');
  const root = path.join(ada, 'shop');

  const server = start(platform, folder, {}, ['--listen', '127.0.0.1:0']);
  const url = String((await server.next('listening'))['url']);
  addresses.set('http://127.0.0.1:3310', url);
  const link = new URL(String((await server.next('setup'))['url']));
  const made = (await (
    await postSetup(url, { secret: link.hash.slice(1), ...firstAdministrator })
  ).json()) as SetupResult;

  /** What a browser does for `login`. */
  const login = async (email: string) => {
    const authorization = `Bearer ${await redeemDeviceCode(url, email)}`;
    const kept = await fetch(`${url}/api/tokens`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{}',
    });
    const { token } = (await kept.json()) as { readonly token: string };
    return `printf %s ${token} | npx vendor-cloud login --token-stdin`;
  };
  const signedIn = signIn.replace('npx vendor-cloud login', await login(firstAdministrator.email));
  expect(await shell(signedIn, ada, root)).toMatch(/Signed in to [\s\S]*Ada Lovelace/);

  const production = made.environments.find(({ name }) => name === 'production');
  const hosting = start(host, root, { SERVICE_SERVER_URL: url, SERVICE_ENV_SECRET: production?.secret ?? '' }, [
    ...['--listen', '127.0.0.1:0', '--mcp-port', '0', '--workers', '1'],
  ]);
  await hosting.next('waiting');
  expect(await shell(push, ada, root)).toMatch(/The project can be pushed[\s\S]*Version 1 is live in production/);
  addresses.set('http://127.0.0.1:3351', new URL(String((await hosting.next('serving'))['url'])).origin);
  expect(await shell(rights, ada, root)).toContain('production has the rights of permissions.json (revision 1)');

  const invited = await shell(invite, ada, root);
  expect(invited).toContain('bob@example.com');
  const secret = /\/join#(\w+)/.exec(invited)?.[1];
  const body = JSON.stringify({ secret, firstName: 'Bob', lastName: 'Example', password });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${url}/api/invitations/accept`, { method: 'POST', headers, body })).status).toBe(204);
  const asked = await shell(ask.replace('npx vendor-cloud login', await login('bob@example.com')), bob, root);
  expect(asked).toMatch(/"type":"customers"[\s\S]*"errors":\[\{"name":"ForbiddenError"/);

  expect(await shell(change, ada, root)).toMatch(/Hollow stars|Version 2 is live in production/);
  expect(await shell(back, ada, root)).toMatch(/Version 1|version 1/);
  expect(await shell(audit, ada, root)).toMatch(/bob@example\.com[\s\S]*The log holds/);
});
