import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import type { SetupResult } from '#contracts/setup';
import { openStore } from '#platform/store/open-store';
import { provisionIn } from '../helpers/admin-log.ts';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { firstAdministrator, postSetup } from '../helpers/team-server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

function start(cwd: string, ...flags: string[]): DevProcess {
  const server = new DevProcess(bin, ['platform', 'start', '--listen', '127.0.0.1:0', ...flags], { cwd });
  endWithTest(server.child);
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
    await execa('git', ['init', '--quiet'], { cwd: folder });
    const { stdout: seenByGit } = await execa('git', ['ls-files', '--others', '--exclude-standard'], { cwd: folder });
    expect(seenByGit).toBe('vendor-cloud-platform/.gitignore');
  });

  it('gives out tokens of a team, keeps them out of its store and its log, and limits what they ask for', {
    tags: 'long',
  }, async () => {
    const folder = await temporaryFolder();
    const server = start(folder, '--api-limit', '2/min,1000/hour');
    const { url } = await server.next('listening');
    const secret = new URL(String((await server.next('setup'))['url'])).hash.slice(1);
    const { userToken } = (await (
      await postSetup(String(url), { secret, ...firstAdministrator })
    ).json()) as SetupResult;
    const made = await fetch(`${url}/api/projects/shop/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${userToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'siem', level: 'read-only' }),
    });
    const { token } = (await made.json()) as { readonly token: string };
    expect(token).toMatch(/^svc_live_/);
    const ask = () => fetch(`${url}/v1/rate-limit`, { headers: { authorization: `Bearer ${token}` } });
    const policies = {
      policies: [
        { name: 'min', limit: 2 },
        { name: 'hour', limit: 1000 },
      ],
    };
    expect(await (await ask()).json()).toMatchObject(policies);
    expect((await fetch(`${url}/v1/rate-limit?token=${token}`)).status).toBe(401);
    expect(await stop(server)).toBe(0);
    expect(JSON.stringify(server.lines)).not.toContain(token);
    const kept = path.join(folder, 'vendor-cloud-platform', 'platform.sqlite');
    expect((await readFile(kept)).includes(token)).toBe(false);
  });

  it('hosts an environment in the same process', { tags: 'long' }, async () => {
    const folder = await temporaryFolder();
    const first = start(folder);
    const { url } = await first.next('listening');
    const secret = new URL(String((await first.next('setup'))['url'])).hash.slice(1);
    const setUp = await postSetup(String(url), { secret, ...firstAdministrator });
    const { environments } = (await setUp.json()) as SetupResult;
    expect(await stop(first)).toBe(0);

    const parameters = ['platform', 'start', '--listen', '127.0.0.1:0', '--serve', '127.0.0.1:0'];
    const env = { SERVICE_ENV_SECRET: environments[1]?.secret ?? '' };
    const second = new DevProcess(bin, parameters, { cwd: folder, env });
    endWithTest(second.child);
    expect(await second.next('waiting')).toEqual({ event: 'waiting' });
    expect(await stop(second)).toBe(0);
    expect(second.lines.filter(({ event }) => event === 'stopped')).toHaveLength(2);
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
    [['--store=postgres://platform:secret-word@db1,db2/db'], 'PLATFORM_PASSWORD_EXPOSED', 'SERVICE_PLATFORM_STORE'],
    [['--listen', '0.0.0.0:0'], 'PLATFORM_EXPOSED', '--public-url'],
    [['--listen', 'everywhere'], 'USAGE_INVALID', '127.0.0.1:3310'],
    [['--tls-cert', 'missing.pem', '--tls-key', 'missing.pem'], 'MACHINE_FILE_NOT_READABLE', '--tls-cert'],
    [['--tls-cert', 'missing.pem'], 'USAGE_INVALID', '--tls-key'],
    [['--public-url', 'platform'], 'PLATFORM_ADDRESS_INVALID', 'https://platform.example.com'],
    [['--api-limit', '60/week'], 'USAGE_INVALID', '10000/day'],
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

  it('says how a key is made when it is given something else', async () => {
    const { exitCode, stdout } = await runCli(['platform', 'start', '--json'], {
      cwd: await temporaryFolder(),
      env: { SERVICE_PLATFORM_KEY: Buffer.alloc(32, 1).toString('base64') },
    });
    const { error } = JSON.parse(stdout);
    expect(error).toMatchObject({ code: 'PLATFORM_KEY_WRONG', message: expect.stringContaining('64') });
    expect(error.nextSteps.join(' ')).toContain('openssl rand -hex 32');
    expect(exitCode).toBe(7);
  });

  it('keeps the key beside the store, also in a folder with a blank', async () => {
    const folder = await temporaryFolder();
    const server = start(folder, '--store', 'sqlite:./my%20platform/store.sqlite');
    const { store } = await server.next('listening');
    expect(store).toBe(`sqlite:${folder}/my platform/store.sqlite`);
    expect(await stop(server)).toBe(0);
    expect(await readdir(path.join(folder, 'my platform'))).toContain('platform.key');
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

describe('vendor-cloud platform backup, restore and migrate', () => {
  it('carry a platform to another place while it runs', { tags: 'long' }, async () => {
    const folder = await temporaryFolder();
    const server = start(folder);
    const { url } = await server.next('listening');
    const secret = new URL(String((await server.next('setup'))['url'])).hash.slice(1);
    const setup = await postSetup(String(url), { secret, ...firstAdministrator });
    const { userToken } = (await setup.json()) as { readonly userToken: string };

    const backup = await runCli(['platform', 'backup', '--to', 'kept/platform.backup', '--json'], { cwd: folder });
    expect(JSON.parse(backup.stdout)).toMatchObject({ file: path.join(folder, 'kept/platform.backup') });
    const moving = [
      'platform',
      'migrate',
      '--from',
      'sqlite:vendor-cloud-platform/platform.sqlite',
      '--to',
      'sqlite:other.sqlite',
    ];
    const refused = await runCli([...moving, '--json'], { cwd: folder });
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      code: 'PLATFORM_STORE_IN_USE',
      message: expect.stringContaining('platform.sqlite'),
    });
    expect(await stop(server)).toBe(0);
    const moved = await runCli(moving, { cwd: folder });
    expect(moved.stdout).toContain('counts and digests are the same');
    expect(moved.stderr).toMatch(/ {2}users: 1 row\n/);

    const place = ['--store', 'sqlite:restored/platform.sqlite'];
    const restored = await runCli(['platform', 'restore', '--from', 'kept/platform.backup', ...place], { cwd: folder });
    expect([restored.exitCode, restored.stdout]).toEqual([
      0,
      expect.stringContaining('Start the platform with the platform key'),
    ]);
    const again = start(folder, ...place);
    const { url: restoredUrl } = await again.next('listening');
    const me = await fetch(`${restoredUrl}/api/me`, { headers: { authorization: `Bearer ${userToken}` } });
    expect(await me.json()).toMatchObject({ project: 'shop' });
    expect(await stop(again)).toBe(0);
  });

  it('say what is the matter with their files', { tags: 'long' }, async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'text.backup'), 'text');
    const codeOf = async (...words: string[]) => {
      const { stdout } = await runCli(['platform', ...words, '--json'], { cwd: folder });
      return JSON.parse(stdout).error.code;
    };
    expect(await codeOf('backup', '--to', 'x', '--store', 'sqlite:missing.sqlite')).toBe('PLATFORM_STORE_UNAVAILABLE');
    expect(await codeOf('backup', '--to', 'x', '--store', 'sqlite:text.backup')).toBe('PLATFORM_STORE_UNAVAILABLE');
    expect(await codeOf('start', '--store', 'sqlite:text.backup')).toBe('PLATFORM_STORE_UNAVAILABLE');
    expect(await codeOf('restore', '--from', 'missing')).toBe('MACHINE_FILE_NOT_READABLE');
    expect(await codeOf('restore', '--from', 'text.backup')).toBe('PLATFORM_BACKUP_INVALID');
    expect(await codeOf('migrate', '--from', 'sqlite:a', '--to', 'postgres://u:secret-word@h/d')).toBe(
      'PLATFORM_PASSWORD_EXPOSED',
    );
    expect(await readFile(path.join(folder, 'text.backup'), 'utf8')).toBe('text');
  });

  it('leave nothing half done on a full disk', { tags: 'long' }, async () => {
    const folder = await temporaryFolder();
    const store = await openStore(`sqlite:${path.join(folder, 'vendor-cloud-platform', 'platform.sqlite')}`);
    await provisionIn(store, {
      project: 'shop',
      secretHash: 'a'.repeat(64),
      user: { firstName: 'Ada', lastName: '', email: 'ada@example.test' },
    });
    const content = randomBytes(200_000);
    await store.transaction(async ({ db }) => {
      const bundle = { projectId: 1, digest: 'd', sizeBytes: content.length, content, createdAt: 1 };
      await db.insertInto('bundles').values(bundle).execute();
    });
    await store.close();
    // The limit of the size of a file stands for the end of the disk: 64 to 128 kB, by the shell.
    const onFullDisk = async (...words: string[]) => {
      const script = 'trap "" XFSZ; ulimit -f 128; exec "$0" "$@"';
      const { stdout } = await execa('sh', ['-c', script, process.execPath, bin, 'platform', ...words, '--json'], {
        cwd: folder,
        reject: false,
      });
      return JSON.parse(stdout).error;
    };
    expect(await onFullDisk('backup', '--to', 'platform.backup')).toMatchObject({
      code: 'MACHINE_FILE_NOT_WRITABLE',
      nextSteps: [expect.stringContaining('free some space')],
    });
    expect(await readdir(folder)).toEqual(['vendor-cloud-platform']);
    const { exitCode } = await runCli(['platform', 'backup', '--to', 'platform.backup'], { cwd: folder });
    expect(exitCode).toBe(0);
    const restoring = ['restore', '--from', 'platform.backup', '--store', 'sqlite:restored.sqlite'];
    expect(await onFullDisk(...restoring)).toMatchObject({ code: 'PLATFORM_STORE_UNAVAILABLE' });
    expect((await readdir(folder)).sort()).toEqual([
      'platform.backup',
      'restored.sqlite.lock',
      'vendor-cloud-platform',
    ]);
  });
});
