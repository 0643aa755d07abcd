import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServedProject } from './served-project.ts';

/** Ctrl-C ends `dev`, its servers and its child processes. */
export async function stop({ dev, ready }: ServedProject) {
  const children = await childrenOf(dev.child.pid ?? 0);
  const urls = [ready.agent.url, ready.sandbox.url, ready.mcp.url];
  const exitCode = await dev.interrupt();
  assert.equal(exitCode, 130);
  for (const url of urls) await assert.rejects(fetch(url), `${url} still answers.`);
  for (const pid of children) await untilGone(pid);
  return { exitCode, children: children.length };
}

/** Processes started by a process, where the system tells; the bundler is one. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** The system takes a moment to clear a process away; one that only waits for that is gone. */
async function untilGone(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (stat === '' || stat.includes(') Z ')) return;
    await delay(10);
  }
}
