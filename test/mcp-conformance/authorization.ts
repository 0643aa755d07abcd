import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { startSandbox } from '#sandbox/index';
import { createAgent, createSqlDataSource } from '../../src/exports/agent.ts';
import { createBrowser } from '../helpers/browser.ts';
import { freePort } from '../helpers/free-port.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

/**
 * Run the suite for authorization servers against an agent of an application, with a person who signs in at its platform and agrees.
 *
 * @param suite How the suite is called: a program and its first words.
 */
export async function authorizationConforms([program, ...words]: readonly [string, ...string[]], folder: string) {
  const served = await serveAgent(folder);
  try {
    const port = await freePort();
    const clientId = await register(served.origin);
    const client = ['--client-id', clientId, '--resource', `${served.origin}/mcp`, '-p', String(port)];
    const child = spawn(program, [...words, 'authorization', '--url', served.origin, ...client], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: folder,
    });
    const ended = once(child, 'exit') as Promise<[number | null]>;
    let hasGranted = false;
    for await (const line of createInterface({ input: child.stdout })) {
      console.log(line);
      // A scenario that is skipped passes nothing and fails nothing.
      hasGranted ||= / authorization-code-grant: [1-9]\d* passed, 0 failed$/.test(line);
      if (line.startsWith(`${served.origin}/oauth/authorize?`)) await agree(line.trim(), served.userToken);
    }
    const [code] = await ended;
    return code === 0 && hasGranted;
  } finally {
    await served.stop();
  }
}

async function serveAgent(folder: string) {
  const sandbox = await startSandbox({
    store: `sqlite:${path.join(folder, 'platform.sqlite')}`,
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
  });
  const envSecret = systemRandom.hex(32);
  const user = { name: 'Ada', email: 'ada@example.test' };
  const { userToken } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
  await promisify(execFile)(process.execPath, [bin, 'bootstrap', 'authorized', '--template', 'shop', '--no-install'], {
    cwd: folder,
  });
  const schemaPath = path.join(folder, 'schema.json');
  const secrets = { authSecret: systemRandom.hex(32), envSecret };
  const agent = createAgent({ ...secrets, serverUrl: sandbox.url, schemaPath, logger: () => undefined });
  const database = path.join(folder, 'authorized/shop.sqlite');
  agent
    .addDataSource(createSqlDataSource(`sqlite:${database}`))
    .mountAiMcpServer()
    .mountOnStandaloneServer(0);
  await agent.start();
  return {
    origin: `http://127.0.0.1:${agent.standaloneServerPort}`,
    userToken,
    stop: async () => {
      await agent.stop();
      await sandbox.stop();
    },
  };
}

/** The suite waits at a port of its own: the port of an address on this machine may differ. */
async function register(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Conformance', redirect_uris: ['http://127.0.0.1/callback'] }),
  });
  const { client_id } = (await answer.json()) as { client_id: string };
  return client_id;
}

/** What a person does in the browser, until the suite has its answer. */
async function agree(url: string, userToken: string): Promise<void> {
  const browser = createBrowser();
  const post = async (page: string, form: Readonly<Record<string, string>>) => {
    const headers = { origin: new URL(page).origin };
    const posted = await browser.open(page, { method: 'POST', headers, body: new URLSearchParams(form) });
    return browser.follow(new URL(posted.headers.get('location') ?? '', page).href, () => false);
  };
  const signIn = await browser.follow(url, () => false);
  const consent = await post(signIn.url, { token: userToken });
  const token = /name="token" value="([^"]*)"/.exec((await consent.response?.text()) ?? '')?.[1] ?? '';
  await post(consent.url, { token, answer: 'allow', scope: 'mcp:read' });
}
