import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { freePort } from '../helpers/free-port.ts';
import { installedPackage } from '../helpers/installed-package.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const reason = process.platform === 'linux' ? '' : ' (skipped: only Linux has taskset and processes that are stopped)';
/** Each of them takes a processor for as long as a test lasts: `BUSY_PROGRAMS=20` is the machine that people have told of. */
const burners = Number(process.env['BUSY_PROGRAMS'] ?? 5);
const anyPorts = ['--agent-port', '0', '--sandbox-port', '0', '--mcp-port', '0'];

/** Let programs that only compute share one processor with what the test starts there. */
function burn(): void {
  const program = ['-c', '0', process.execPath, '-e', 'for (;;);'];
  const started = Array.from({ length: burners }, () => spawn('taskset', program, { stdio: 'ignore' }));
  onTestFinished(() => {
    for (const burner of started) burner.kill('SIGKILL');
  });
}

async function createShop(): Promise<string> {
  const { bin } = installedPackage();
  const folder = await temporaryFolder();
  const bootstrap = ['bootstrap', 'shop', '--template', 'shop', '--no-install', '--no-git', '--json'];
  execFileSync(process.execPath, [bin, ...bootstrap], { cwd: folder, stdio: 'ignore' });
  return path.join(folder, 'shop');
}

function startDev(cwd: string, parameters: readonly string[] = anyPorts): DevProcess {
  const dev = new DevProcess(installedPackage().bin, ['dev', '--no-typecheck', ...parameters], { cwd });
  endWithTest(dev.child);
  return dev;
}

async function run(child: ChildProcess): Promise<{ readonly exitCode: number | null; readonly text: string }> {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (part) => (text += part));
  await once(child, 'close');
  return { exitCode: child.exitCode, text };
}

describe.skipIf(reason !== '')(`a busy machine${reason}`, () => {
  it('starts an untouched project beside programs that take its processor, and says that the machine is busy', {
    tags: 'long',
  }, async () => {
    const cwd = await createShop();
    burn();
    const command = [process.execPath, installedPackage().bin, 'dev', '--once', '--no-typecheck', ...anyPorts];
    const { exitCode, text } = await run(spawn('taskset', ['-c', '0', ...command], { cwd }));
    expect(exitCode, text).toBe(0);
    expect(text).toMatch(/This machine is busy: the command gets \d+ % of the processor time/);
  });

  it('tells an endless loop beside them, and nothing else', { tags: 'long' }, async () => {
    const cwd = await createShop();
    const dev = startDev(cwd);
    const { agent, token } = (await dev.next('ready')) as unknown as { agent: { url: string }; token: string };
    burn();
    execFileSync('taskset', ['-a', '-p', '-c', '0', String(dev.child.pid)], { stdio: 'ignore' });
    const entry = path.join(cwd, 'src/index.ts');
    const good = await readFile(entry, 'utf8');
    await writeFile(entry, good.replace('): void {', '): void { for (;;);'));
    expect(await dev.next('error')).toMatchObject({
      error: { code: 'CUSTOMIZATION_UNRESPONSIVE', message: expect.stringContaining('processor time') },
    });
    const answer = await fetch(`${agent.url}/orders?page[size]=1&timezone=UTC`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
    expect(dev.lines.map(({ event }) => event)).not.toContain('restarted');
  });

  it('replaces nothing after the whole process was stopped', { tags: 'long' }, async () => {
    const cwd = await createShop();
    const dev = startDev(cwd);
    const { agent, token } = (await dev.next('ready')) as unknown as { agent: { url: string }; token: string };
    dev.child.kill('SIGSTOP');
    await pause(10_000);
    dev.child.kill('SIGCONT');
    const answer = await fetch(`${agent.url}/orders?page[size]=1&timezone=UTC`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
    // Whatever the stop has set off is reported before a save that comes later.
    const entry = path.join(cwd, 'src/index.ts');
    await writeFile(entry, `${await readFile(entry, 'utf8')}\nconsole.log('saved');\n`);
    await dev.next('reloaded');
    expect(dev.lines.map(({ event }) => event)).not.toContain('restarted');
    expect(dev.lines.map(({ event }) => event)).not.toContain('error');
  });
});

describe('a session that is started again at once', () => {
  it('waits for the one before it, which ends, and takes its ports', { tags: 'long' }, async () => {
    const cwd = await createShop();
    const ports = [await freePort(), await freePort(), await freePort()];
    const [agent, sandbox, mcp] = ports.map(String) as [string, string, string];
    const parameters = ['--agent-port', agent, '--sandbox-port', sandbox, '--mcp-port', mcp];
    const first = startDev(cwd, parameters);
    await first.next('ready');
    first.child.kill('SIGINT');
    const second = startDev(cwd, parameters);
    expect(await second.next('ready')).toMatchObject({ agent: { url: `http://127.0.0.1:${agent}/service` } });
    await first.ended();
  });
});

describe('code that blocks its worker while the session starts', () => {
  it('is reported as that, and not as a server that does not answer', { tags: 'long' }, async () => {
    const cwd = await createShop();
    const entry = path.join(cwd, 'src/index.ts');
    const good = await readFile(entry, 'utf8');
    await writeFile(entry, good.replace('): void {', '): void {\n  setTimeout(() => { for (;;); });'));
    const dev = startDev(cwd);
    await dev.ended();
    expect(dev.lines.at(-1)).toMatchObject({ error: { code: 'CUSTOMIZATION_UNRESPONSIVE' } });
  });
});
