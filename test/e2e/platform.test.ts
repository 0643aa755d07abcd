import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { runCli } from '../helpers/run-cli.ts';
import { firstAdministrator, postSetup } from '../helpers/team-server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

function start(cwd: string, ...flags: string[]): DevProcess {
  const server = new DevProcess(bin, ['platform', 'start', '--listen', '127.0.0.1:0', ...flags], { cwd });
  onTestFinished(() => void server.child.kill('SIGKILL'));
  return server;
}

async function stop(server: DevProcess): Promise<number | null> {
  server.child.kill('SIGTERM');
  return server.ended();
}

describe('vendor-cloud platform start', () => {
  it('is set up by its link, stops, and starts again with what it knew', async () => {
    const folder = await temporaryFolder();
    const first = start(folder);
    const { url } = await first.next('listening');
    const link = await first.next('setup');
    const secret = new URL(String(link['url'])).hash.slice(1);
    const { userToken } = (await (await postSetup(String(url), { secret, ...firstAdministrator })).json()) as {
      readonly userToken: string;
    };
    expect(await first.next('request')).toMatchObject({ method: 'POST', route: '/api/setup', status: 201 });
    expect(await stop(first)).toBe(0);
    expect(first.lines.slice(-2).map(({ event }) => event)).toEqual(['stopping', 'stopped']);

    const second = start(folder);
    const again = await second.next('listening');
    const me = await fetch(`${again['url']}/api/me`, { headers: { authorization: `Bearer ${userToken}` } });
    expect(await me.json()).toMatchObject({ project: 'shop' });
    expect(await stop(second)).toBe(0);
    expect(second.lines.map(({ event }) => event)).not.toContain('setup');

    const kept = path.join(folder, 'vendor-cloud-platform');
    expect((await stat(kept)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(kept, 'platform.key'))).mode & 0o777).toBe(0o600);
    expect((await readFile(path.join(kept, 'platform.sqlite'))).includes(secret)).toBe(false);
  });

  it('names the server that has the folder', async () => {
    const folder = await temporaryFolder();
    await start(folder).next('listening');
    const { exitCode, stdout } = await runCli(['platform', 'start', '--listen', '127.0.0.1:0', '--json'], {
      cwd: folder,
    });
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'PLATFORM_STORE_IN_USE' });
    expect(exitCode).not.toBe(0);
  });

  it.each([
    [
      ['--store', 'postgres://platform:secret-word@127.0.0.1/db'],
      'PLATFORM_PASSWORD_EXPOSED',
      'SERVICE_PLATFORM_STORE',
    ],
    [['--store=postgres://platform:secret-word@127.0.0.1/db'], 'PLATFORM_PASSWORD_EXPOSED', 'SERVICE_PLATFORM_STORE'],
    [['--listen', '0.0.0.0:0'], 'PLATFORM_EXPOSED', '--public-url'],
    [['--listen', 'everywhere'], 'USAGE_INVALID', '127.0.0.1:3310'],
    [['--tls-cert', 'missing.pem', '--tls-key', 'missing.pem'], 'MACHINE_FILE_NOT_READABLE', '--tls-cert'],
    [['--tls-cert', 'missing.pem'], 'USAGE_INVALID', '--tls-key'],
    [['--public-url', 'platform'], 'PLATFORM_ADDRESS_INVALID', 'https://platform.example.com'],
    [['--store', 'mysql://127.0.0.1/db'], 'PLATFORM_STORE_UNAVAILABLE', 'postgres:'],
    [['--store', 'postgres://127.0.0.1/db'], 'PLATFORM_KEY_WRONG', 'openssl rand -hex 32'],
  ])('refuses %j and says what to do', async (flags, code, advice) => {
    const { stdout, stderr } = await runCli(['platform', 'start', ...flags, '--json'], {
      cwd: await temporaryFolder(),
    });
    const { error } = JSON.parse(stdout);
    expect(error.code).toBe(code);
    expect(error.nextSteps.join(' ') + error.message).toContain(advice);
    expect(stdout + stderr).not.toContain('secret-word');
  });

  it('takes a password from the environment', async () => {
    const { stdout, stderr } = await runCli(['platform', 'start', '--json'], {
      cwd: await temporaryFolder(),
      env: {
        SERVICE_PLATFORM_STORE: 'postgres://platform:secret-word@127.0.0.1:1/db',
        SERVICE_PLATFORM_KEY: 'a'.repeat(64),
      },
    });
    expect(JSON.parse(stdout).error.code).toBe('PLATFORM_STORE_UNAVAILABLE');
    expect(stdout + stderr).not.toContain('secret-word');
  });
});
