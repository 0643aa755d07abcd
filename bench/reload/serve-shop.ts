import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'undici';
import { DevProcess } from '../../test/helpers/dev-process.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

export interface ServedShop {
  /** The file to save. */
  readonly entry: string;
  /** Send a request below the agent's prefix over the one connection, and read its answer. */
  send(method: 'GET' | 'POST', target: string, body?: unknown): Promise<unknown>;
  /** The computed field that the saves change, and the column it is made from. */
  readRevision(): Promise<{ readonly reference: string; readonly revision: string }>;
  /** The milliseconds of the next reload that was reported. */
  nextReload(): Promise<number>;
  /** The errors that were reported so far. */
  errors(): readonly unknown[];
  stop(): Promise<void>;
}

/** Scaffold the sample shop in a folder of its own, with `source` as its code, and serve it as a child process. */
export async function serveShop(source: string): Promise<ServedShop> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  try {
    return await serveIn(folder, source);
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}

async function serveIn(folder: string, source: string): Promise<ServedShop> {
  await promisify(execFile)(process.execPath, [bin, 'bootstrap', 'shop', '--template', 'shop'], { cwd: folder });
  const project = path.join(folder, 'shop');
  const entry = path.join(project, 'src/index.ts');
  await writeFile(entry, source);
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
    send,
    async readRevision() {
      const answer = await send('GET', '/orders/1?fields[orders]=reference,revision');
      const { reference, revision } = (answer as OneOrder).data.attributes;
      return { reference, revision };
    },
    nextReload: async () => Number((await dev.next('reloaded'))['ms']),
    errors: () => dev.lines.filter(({ event }) => event === 'error'),
    async stop() {
      await client.close();
      const { exitCode } = await dev.interrupt();
      await rm(folder, { recursive: true });
      assert.equal(exitCode, 130, `The session ended with ${exitCode}: ${dev.stderr}`);
    },
  };
}

interface OneOrder {
  readonly data: { readonly attributes: { readonly reference: string; readonly revision: string } };
}
