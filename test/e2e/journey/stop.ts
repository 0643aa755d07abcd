import { strict as assert } from 'node:assert';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServedProject } from './served-project.ts';

/** Ctrl-C ends `dev`, its servers and its child processes. */
export async function stop({ dev, ready, root }: ServedProject) {
  const children = await childrenOf(dev.child.pid ?? 0);
  const urls = [ready.agent.url, ready.sandbox.url, ready.mcp.url];
  const { exitCode, ms } = await dev.interrupt();
  assert.equal(exitCode, 130);
  assert.ok(ms < 1_000, `Stopping took ${ms} ms.`);
  for (const url of urls) await assert.rejects(fetch(url), `${url} still answers.`);
  await assert.rejects(access(path.join(root, '.vendor-cloud/session.json')));
  for (const pid of children) assert.ok(await isGoneWithinASecond(pid), `The child process ${pid} still runs.`);
  return { exitCode, ms: Math.round(ms), children: children.length };
}

/** Processes started by a process, where the system tells; the bundler is one. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** The system takes a moment to clear a process away; one that only waits for that is gone. */
async function isGoneWithinASecond(pid: number): Promise<boolean> {
  for (const start = performance.now(); performance.now() - start < 1_000; await delay(10)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (stat === '' || stat.includes(') Z ')) return true;
  }
  return false;
}
