import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isProcessAlive } from '#node/system/process-probe';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

/** `exec` with a program that writes its pid to a file once it runs, and then waits for a signal. */
async function startExec(root: string) {
  const program = `process.on('SIGTERM', () => process.exit(4)); setInterval(() => {}, 1000); console.log(process.pid);`;
  const child = spawn(process.execPath, [bin, 'exec', '--', process.execPath, '-e', program], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithTest(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const pid = Number(String(line).trim());
  // It holds the stderr of these tests, which would wait for it.
  onTestFinished(async () => void ((await isProcessAlive(pid, Date.now())) && process.kill(pid, 'SIGKILL')));
  return { child, pid };
}

describe('vendor-cloud exec', () => {
  it('gives its program the signals, and takes its exit code', { tags: 'long' }, async () => {
    const { child, pid } = await startExec(await createShopProject());
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([4, null]);
    expect(await isProcessAlive(pid, Date.now())).toBe(false);
  });

  it('takes its program along when it is killed', async () => {
    const { child, pid } = await startExec(await createShopProject());
    child.kill('SIGKILL');
    await expect.poll(() => isProcessAlive(pid, Date.now())).toBe(false);
  });
});

describe('vendor-cloud run action', () => {
  it('ends with 2 and the command to complete where nobody can be asked for the form', async () => {
    const root = await createShopProject();
    const entry = path.join(root, 'src/index.ts');
    const form = `scope: 'Bulk', form: [{ type: 'Number', label: 'Their rate', isRequired: true }],`;
    await writeFile(entry, (await readFile(entry, 'utf8')).replace("scope: 'Bulk',", form));
    const words = ['run', 'action', 'orders', 'add-up', '--ids', '1,2', '--json'];
    const { exitCode, stdout } = await runCli(words, { cwd: root });
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'USAGE_INVALID',
        nextSteps: [`vendor-cloud run action orders add-up --ids 1,2 --json --set 'Their rate=<Number>'`],
      },
    });
  });
});

describe('vendor-cloud dev --inspect', () => {
  it('keeps the debugger of the code connected over a reload', { tags: 'long' }, async () => {
    const root = await createShopProject();
    const flags = ['--inspect', '--inspect-port', '0', '--agent-port', '0', '--sandbox-port', '0', '--mcp-port', '0'];
    const session = new DevProcess(bin, ['dev', ...flags], { cwd: root });
    endWithTest(session.child);
    await session.next('ready');
    const address = /ws:\/\/\S+/.exec(session.stderr)?.[0] ?? '';
    const debuggerOfSession = new WebSocket(address);
    await once(debuggerOfSession, 'open');
    const workers: string[] = [];
    debuggerOfSession.addEventListener('message', ({ data }) => {
      const { method } = JSON.parse(String(data)) as { method?: string };
      if (method?.startsWith('NodeWorker.')) workers.push(method);
    });
    const params = { waitForDebuggerOnStart: false };
    debuggerOfSession.send(JSON.stringify({ id: 1, method: 'NodeWorker.enable', params }));
    const entry = path.join(root, 'src/index.ts');
    await writeFile(entry, (await readFile(entry, 'utf8')).replace('★', '☆'));
    await session.next('reloaded');
    expect(workers.filter((method) => method !== 'NodeWorker.receivedMessageFromWorker')).toEqual([
      'NodeWorker.attachedToWorker',
    ]);
    debuggerOfSession.close();
    expect(await session.interrupt()).toBe(130);
  });
});
