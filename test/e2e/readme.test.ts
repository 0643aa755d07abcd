import { execFileSync, spawn } from 'node:child_process';
import { cp, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const repository = path.resolve(import.meta.dirname, '../..');

/** The shell blocks of the README below a heading, in order. */
async function blocksOf(heading: string): Promise<string[]> {
  const text = await readFile(path.join(repository, 'README.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

/** The files that git would give a new user, in a folder of their own. */
async function freshCheckout(): Promise<string> {
  const folder = path.join(await temporaryFolder(), 'vendor-cloud');
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter(Boolean)) await cp(path.join(repository, file), path.join(folder, file));
  return folder;
}

interface Ready {
  readonly agent: { readonly url: string };
  readonly mcp: { readonly url: string; readonly token: string };
  readonly token: string;
}

/** `npm run demo`, exactly as it is in the README except for the events, and for ports that may be taken here. */
async function startDemo(checkout: string, command: string): Promise<{ ready: Ready; stop(): Promise<number | null> }> {
  const env = { ...process.env, SERVICE_AGENT_PORT: '0', SERVICE_SANDBOX_PORT: '0', MCP_SERVER_PORT: '0' };
  const demo = spawn('bash', ['-c', `exec ${command} -- --json`], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const signal = (name: NodeJS.Signals) => process.kill(-(demo.pid ?? 0), name);
  const ended = new Promise<number | null>((resolve) => demo.once('exit', resolve));
  onTestFinished(() => {
    if (demo.exitCode === null && demo.signalCode === null) signal('SIGKILL');
  });
  for await (const line of createInterface({ input: demo.stdout })) {
    if (!line.startsWith('{"event":"ready"')) continue;
    return {
      ready: JSON.parse(line) as Ready,
      stop: () => {
        signal('SIGINT');
        return ended;
      },
    };
  }
  throw new Error('The demo ended before it was ready.');
}

describe('the README', () => {
  it('leads a new user from a fresh checkout to a pushed version', { tags: 'long' }, async () => {
    const checkout = await freshCheckout();
    const [twoCommands = ''] = await blocksOf('Two commands');
    const [install = '', run = ''] = twoCommands.trim().split('\n');
    expect(install).toBe('npm ci');
    // The packages are those that this very lock file has just installed for the tests.
    await symlink(path.join(repository, 'node_modules'), path.join(checkout, 'node_modules'));
    const { ready, stop } = await startDemo(checkout, run);

    const [look = '', ...rest] = await blocksOf('Five minutes');
    const shell = async (block: string, cwd: string) => {
      const script = block
        .replace('http://127.0.0.1:3351/service', ready.agent.url)
        .replace('http://127.0.0.1:3931/mcp', ready.mcp.url);
      // No test waits for a registry of packages.
      const env = { TOKEN: ready.token, MCP_TOKEN: ready.mcp.token, SERVICE_INSTALL: 'false' };
      return (await execa('bash', ['-euo', 'pipefail', '-c', script], { cwd, env })).stdout;
    };
    const answer = JSON.parse(await shell(look, checkout));
    expect(answer.data).toHaveLength(2);
    const printed: string[] = [];
    for (const block of rest) printed.push(await shell(block, path.join(checkout, 'demo')));
    const [sed, types, push, audit, aggregated, mcp] = printed;
    expect(sed).toBe('');
    expect(types).toMatch(/typings\.d\.ts (is up to date|written)/);
    expect(push).toMatch(/Version 1 is live in \w+[\s\S]*Hollow stars/);
    expect(audit).toMatch(/search +customers[\s\S]*The log holds: \d+ rows?,/);
    expect(aggregated).toContain('"status": "shipped"');
    expect(mcp).toContain('describeCollection');

    const [own = ''] = await blocksOf('Your own database');
    expect(await shell(own, path.join(checkout, 'demo'))).toContain('Created my-admin');
    await stop();
  });
});
