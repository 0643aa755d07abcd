import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

/** Start a server, hang up, and ask it for its health until it stops or has answered often. */
async function hangUp(through: readonly [string, ...string[]]) {
  const cwd = await createShopProject();
  const server = new DevProcess(bin, ['sandbox', '--port', '0'], { cwd, through });
  endWithTest(server.child);
  const ready = await server.next('ready');
  const { url } = ready['sandbox'] as { readonly url: string };
  const session = await readFile(path.join(cwd, '.vendor-cloud/session.json'), 'utf8');
  const { pid } = JSON.parse(session) as { readonly pid: number };
  process.kill(pid, 'SIGHUP');
  let answers = 0;
  while (answers < 100 && (await isHealthy(url))) answers++;
  if (answers === 100) process.kill(pid, 'SIGINT');
  await server.next('stopped');
  return { answers, exitCode: await server.ended() };
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/health`, { headers: { connection: 'close' } }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function whyNot(program: string): string | undefined {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return process.platform === 'linux' ? undefined : 'only Linux tells what a process ignores';
  } catch {
    return `there is no ${program}`;
  }
}

const reason = whyNot('bash') ?? whyNot('nohup');

describe.skipIf(reason !== undefined)(`a server that is hung up on${reason ? ` (skipped: ${reason})` : ''}`, () => {
  it('ends where nobody asked to ignore it', async () => {
    const { answers, exitCode } = await hangUp(['bash', '-c', 'exec "$@"', 'bash']);
    expect(answers).toBeLessThan(100);
    expect(exitCode).toBe(0);
  });

  it.each([
    ['nohup of a shell', ['bash', '-c', 'nohup "$@"', 'bash']],
    ['a script that nohup runs', ['nohup', 'sh', '-c', '"$@"; exit $?', 'sh']],
    ['a script that ignores it', ['sh', '-c', 'trap "" HUP; "$@"; exit $?', 'sh']],
    ['the input that nohup opens at a terminal', ['sh', '-c', 'exec "$@" 0>/dev/null', 'sh']],
  ] as const)('goes on, and still ends by Ctrl-C: %s', async (_name, through) => {
    expect(await hangUp(through)).toEqual({ answers: 100, exitCode: 0 });
  });
});
