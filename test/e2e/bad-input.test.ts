import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { installedPackage } from '../helpers/installed-package.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

const anyPorts = ['--agent-port', '0', '--sandbox-port', '0', '--mcp-port', '0'];
let bin = '';
let pattern = '';

beforeAll(async () => {
  ({ bin } = installedPackage());
  pattern = path.join(path.dirname(bin), '../../../../pattern-shop');
  await rm(pattern, { recursive: true, force: true });
  const { exitCode, stderr } = await runCli(['bootstrap', pattern, '--template', 'shop'], {
    bin,
    cwd: path.dirname(bin),
  });
  expect(exitCode, stderr).toBe(0);
});

async function shop(): Promise<string> {
  const folder = path.join(await temporaryFolder(), 'shop');
  await cp(pattern, folder, { recursive: true });
  return folder;
}

interface Expectation {
  readonly code: string;
  readonly exitCode: number;
  readonly says?: RegExp;
}

/** The error of a call as a script makes it: one line of JSON on stdout. */
async function expectError(
  parameters: readonly string[],
  cwd: string,
  { code, exitCode, says }: Expectation,
): Promise<{ readonly nextSteps: readonly string[] }> {
  const run = await runCli([...parameters, '--json'], { bin, cwd });
  const lines = run.stdout.split('\n');
  expect(lines, run.stdout).toHaveLength(1);
  const { error } = JSON.parse(lines[0] ?? '');
  expect(error).toMatchObject({ code, message: expect.stringMatching(says ?? /./) });
  expect(error.nextSteps.length).toBeGreaterThan(0);
  expect(Object.keys(error)).not.toContain('stack');
  expect(run.stderr).toBe('');
  expect(run.exitCode).toBe(exitCode);
  return error;
}

/** The error of a call as a person makes it: text on stderr. */
async function expectText(
  parameters: readonly string[],
  cwd: string,
  { code, exitCode }: Expectation,
): Promise<string> {
  const run = await runCli(parameters, { bin, cwd });
  expect(run.stdout).toBe('');
  expect(run.stderr).toContain(`[${code}]`);
  expect(run.exitCode).toBe(exitCode);
  return run.stderr;
}

/** Sessions leave neither lock nor temporary file, whatever went wrong. */
async function expectNothingHalfWritten(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  expect(files.filter((file) => /session\.json|\.tmp|^\.shop-/.test(file))).toEqual([]);
}

describe('a project that is missing or malformed', () => {
  it.each(['dev', 'push', 'versions', 'update-typings'])('%s says that there is no project', async (command) => {
    const expected = { code: 'PROJECT_NOT_FOUND', exitCode: 1, says: /vendor-cloud\.json/ };
    const folder = await temporaryFolder();
    const { nextSteps } = await expectError([command], folder, expected);
    expect(await expectText([command], folder, expected)).toContain(`→ ${nextSteps[0]}`);
  });

  it.each(['whoami', 'check', 'sandbox'])('%s says that the folder after --project does not exist', async (command) => {
    const folder = await temporaryFolder();
    const expected = { code: 'USAGE_INVALID', exitCode: 2, says: /nowhere does not exist/ };
    const { nextSteps } = await expectError([command, '--project', 'nowhere'], folder, expected);
    expect(nextSteps[0]).toContain('--project');
  });

  it('points at the place where vendor-cloud.json breaks', async () => {
    const folder = await shop();
    await writeFile(path.join(folder, 'vendor-cloud.json'), '{ "name": "shop", }');
    await expectError(['dev', ...anyPorts], folder, { code: 'PROJECT_CONFIG_INVALID', exitCode: 1 });
    await expectNothingHalfWritten(folder);
  });

  it('names the line of a broken .env', async () => {
    const folder = await shop();
    await writeFile(path.join(folder, '.env'), 'A=1\nnonsense\n');
    await expectError(['dev', ...anyPorts], folder, { code: 'PROJECT_ENV_FILE_INVALID', exitCode: 1, says: /Line 2/ });
    await expectNothingHalfWritten(folder);
  });
});

describe('a machine that does not let us', () => {
  it('names the owner of a port in use', { tags: 'long' }, async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const folder = await shop();
    const owner = process.platform === 'linux' ? new RegExp(`${port}.*${process.pid}`) : new RegExp(String(port));
    for (const flag of ['--agent-port', '--sandbox-port', '--mcp-port']) {
      const others = anyPorts.filter((_, index) => anyPorts[index - (index % 2)] !== flag);
      await expectError(['dev', ...others, flag, String(port)], folder, {
        code: 'MACHINE_PORT_IN_USE',
        exitCode: 7,
        says: owner,
      });
    }
    await expectNothingHalfWritten(folder);
  });

  it('says that a folder is read-only', async () => {
    // Permission bits do not hold back the superuser; the kernel's own file system does.
    const isSuperuser = process.getuid?.() === 0;
    const folder = isSuperuser ? '/sys' : path.join(await temporaryFolder(), 'locked');
    if (!isSuperuser) await mkdir(folder, { mode: 0o555 });
    await expectError(['bootstrap', `${folder}/shop`, '--template', 'shop'], await temporaryFolder(), {
      code: 'MACHINE_FILE_NOT_WRITABLE',
      exitCode: 7,
    });
  });

  it('refuses a second session on a project', async () => {
    const folder = await shop();
    const session = { pid: process.pid, startedAt: new Date().toISOString() };
    await writeFiles(folder, { '.vendor-cloud/session.json': JSON.stringify(session) });
    await expectError(['dev', ...anyPorts], folder, {
      code: 'PROJECT_IN_USE',
      exitCode: 5,
      says: new RegExp(String(process.pid)),
    });
  });
});

describe('a database file that is not one', { tags: 'long' }, () => {
  it.each([
    ['is missing', 'DATABASE_NOT_FOUND', 1, async (file: string) => rm(file)],
    [
      'is not SQLite',
      'DATABASE_NOT_A_DATABASE',
      1,
      async (file: string) => writeFile(file, 'Dear diary, '.repeat(200)),
    ],
    [
      'cannot be read',
      'DATABASE_UNREADABLE',
      7,
      async (file: string) => {
        await rm(file);
        await mkdir(file);
      },
    ],
  ] as const)('%s', async (_what, code, exitCode, damage) => {
    const folder = await shop();
    for (const file of await readdir(folder)) if (file.startsWith('shop.sqlite-')) await rm(path.join(folder, file));
    await damage(path.join(folder, 'shop.sqlite'));
    await expectError(['dev', ...anyPorts], folder, { code, exitCode, says: /shop\.sqlite/ });
    await expectText(['update-typings'], folder, { code, exitCode });
    await expectNothingHalfWritten(folder);
  });
});

describe('a connection URI that cannot be used', () => {
  it('names the scheme and keeps the password to itself', async () => {
    const folder = await shop();
    const config = path.join(folder, 'vendor-cloud.json');
    await writeFile(
      config,
      (await readFile(config, 'utf8')).replace('sqlite:./shop.sqlite', 'oracle://me:hunter2@host/db'),
    );
    await expectError(['dev', ...anyPorts], folder, { code: 'DATABASE_URI_INVALID', exitCode: 1, says: /"oracle"/ });
    const { stdout, stderr } = await runCli(['update-typings', '--json'], { bin, cwd: folder });
    expect(`${stdout}${stderr}`).not.toContain('hunter2');
  });
});

describe('customization code that cannot be used', { tags: 'long' }, () => {
  it.each([
    ['does not export a function', 'CUSTOMIZATION_NOT_A_FUNCTION', 'export default { customize: true };', 1],
    [
      'is async and rejects',
      'CUSTOMIZATION_FAILED',
      "export default async () => { await null; throw new Error('no luck'); };",
      1,
    ],
    [
      'was saved half-written',
      'BUILD_FAILED',
      "import type { Agent } from '@vendor/cloud';\n\nexport default function custom",
      1,
    ],
    ['awaits at its top level', 'BUILD_TOP_LEVEL_AWAIT', 'await Promise.resolve();\nexport default () => {};', 1],
    ['never ends', 'CUSTOMIZATION_UNRESPONSIVE', 'export default () => { while (true) {} };', 6],
    [
      'ends the process',
      'CUSTOMIZATION_EXITED',
      'declare const process: any;\nexport default () => process.exit();',
      1,
    ],
  ])('%s', async (_what, code, source, exitCode) => {
    const folder = await shop();
    const typings = await readFile(path.join(folder, 'typings.d.ts'), 'utf8');
    await writeFile(path.join(folder, 'src/index.ts'), source);
    await expectError(['dev', ...anyPorts], folder, { code, exitCode });
    await expectText(['update-typings'], folder, { code, exitCode });
    expect(await readFile(path.join(folder, 'typings.d.ts'), 'utf8')).toBe(typings);
    await expectNothingHalfWritten(folder);
  });

  it('shows the place in the source where it threw', async () => {
    const folder = await shop();
    await writeFile(
      path.join(folder, 'src/index.ts'),
      "export default () => {\n  const reason: string = 'no luck';\n  throw new Error(reason);\n};\n",
    );
    const { stdout } = await runCli(['update-typings', '--json'], { bin, cwd: folder });
    expect(JSON.parse(stdout).error.location).toMatchObject({
      file: path.join(folder, 'src/index.ts'),
      line: 3,
      frame: expect.stringContaining('> 3 |   throw new Error(reason);'),
    });
  });
});

describe('a credential in place of a name', () => {
  it('is refused before anything happens, and never repeated', async () => {
    const cwd = await temporaryFolder();
    const secret = 'a1'.repeat(32);
    const calls = [
      ['bootstrap', secret, '--template', 'shop'],
      ['login', '--in', `vcu_${secret}`],
    ];
    for (const parameters of calls) {
      const { exitCode, stdout, stderr } = await runCli(parameters, { bin, cwd });
      expect(exitCode, stderr).toBe(2);
      expect(stderr).toContain('which does not belong there. Nothing was sent.');
      expect(stdout + stderr).not.toContain(secret);
    }
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('a database server that refuses the connection', () => {
  it.each(['postgres', 'mariadb', 'mongodb'])('ends bootstrap on %s with 4', async (scheme) => {
    const cwd = await temporaryFolder();
    const uri = `${scheme}://reader@127.0.0.1:${await freePort()}/shop`;
    const { exitCode, stdout } = await runCli(['bootstrap', 'admin', '--uri', uri, '--json'], { bin, cwd });
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'DATABASE_UNREACHABLE',
      message: expect.stringContaining('(ECONNREFUSED)'),
    });
    expect(exitCode).toBe(4);
    expect(await readdir(cwd)).toEqual([]);
  });

  it.each(['postgres', 'mariadb'])('is asked once by bootstrap on %s', async (scheme) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const cwd = await temporaryFolder();
    const uri = `${scheme}://reader@127.0.0.1:${port}/shop`;
    const { exitCode } = await runCli(['bootstrap', 'admin', '--uri', uri, '--json'], { bin, cwd });
    expect(exitCode).toBe(4);
    // With TLS, without, and again for a connection that was lost; a command that tries again for a while makes a dozen.
    expect(connections).toBeLessThanOrEqual(4);
  });
});

describe('a platform that gets too many requests', () => {
  it('ends the command with 6 when it asks for more time than a command waits, and says how long to wait', async () => {
    const { origin } = await startHttpServer((_request, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end();
    });
    const env = { SERVICE_SERVER_URL: origin, SERVICE_AUTH_TOKEN: 'token-of-nobody' };
    const { exitCode, stdout } = await runCli(['versions', '--json'], { bin, cwd: await shop(), env });
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'PLATFORM_BUSY',
      nextSteps: ['Wait 3600 s, then try again.'],
    });
    expect(exitCode).toBe(6);
  });
});

describe('a platform that is not there', () => {
  it('says how to get a token', async () => {
    await expectError(['push'], await shop(), { code: 'CREDENTIALS_MISSING', exitCode: 3 });
  });

  it('says that nobody answers', async () => {
    const folder = await shop();
    const env = { SERVICE_SERVER_URL: 'http://127.0.0.1:9', SERVICE_AUTH_TOKEN: 'token-of-nobody' };
    const { exitCode, stdout } = await runCli(['versions', '--json'], { bin, cwd: folder, env });
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'PLATFORM_UNREACHABLE',
      message: expect.stringContaining('127.0.0.1:9'),
    });
    expect(exitCode).toBe(4);
    expect(stdout).not.toContain('token-of-nobody');
  });
});
