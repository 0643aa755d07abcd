import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'undici';
import { DevProcess } from '../../test/helpers/dev-process.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const bin = path.join(repository, 'bin/vendor-cloud.js');
const run = promisify(execFile);

export interface ServedProject {
  /** The file to save. */
  readonly entry: string;
  /** The address of the agent, and a token for it. */
  readonly agent: { readonly url: string; readonly token: string };
  /** Id of the process of `vendor-cloud dev`. */
  readonly pid: number;
  /** Send a request below the agent's prefix over the one connection, and read its answer. */
  send(method: 'GET' | 'POST', target: string, body?: unknown): Promise<unknown>;
  /** The milliseconds of the next reload that was reported. */
  nextReload(): Promise<number>;
  /** The errors that were reported so far. */
  errors(): readonly unknown[];
  stop(): Promise<void>;
}

/**
 * Scaffold a project below `folder`, with `source` as its code, and serve it as a child process.
 *
 * @param bootstrap What to pass to `vendor-cloud bootstrap` beside the name of the project.
 */
export async function serveProject(
  folder: string,
  bootstrap: readonly string[],
  source: string,
): Promise<ServedProject> {
  await run(process.execPath, [bin, 'bootstrap', 'project', '--no-install', ...bootstrap], { cwd: folder });
  const project = path.join(folder, 'project');
  const entry = path.join(project, 'src/index.ts');
  await writeFile(entry, source);
  // As it is for users: the compiler checks the types beside the saves.
  await symlink(path.join(repository, 'node_modules/typescript'), path.join(project, 'node_modules/typescript'));
  const anyPorts = ['--agent-port', '0', '--sandbox-port', '0', '--mcp-port', '0'];
  const dev = new DevProcess(bin, ['dev', ...anyPorts], { cwd: project });
  const { agent, token } = (await dev.next('ready')) as unknown as { agent: { url: string }; token: string };
  const { origin, pathname: prefix } = new URL(agent.url);
  const client = new Client(origin);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  const send = async (method: 'GET' | 'POST', target: string, body?: unknown): Promise<unknown> => {
    const timezone = `${target.includes('?') ? '&' : '?'}timezone=UTC`;
    const content = body === undefined ? null : JSON.stringify(body);
    const answer = await client.request({ method, path: `${prefix}${target}${timezone}`, headers, body: content });
    const text = await answer.body.text();
    assert.equal(answer.statusCode, 200, `${method} ${target}: ${text}`);
    return JSON.parse(text);
  };

  return {
    entry,
    agent: { url: agent.url, token },
    pid: dev.child.pid ?? 0,
    send,
    nextReload: async () => Number((await dev.next('reloaded'))['ms']),
    errors: () => dev.lines.filter(({ event }) => event === 'error'),
    async stop() {
      await client.close();
      const exitCode = await dev.interrupt();
      assert.equal(exitCode, 130, `The session ended with ${exitCode}: ${dev.stderr}`);
    },
  };
}
