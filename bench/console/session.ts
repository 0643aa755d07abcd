import path from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import type { Browser, BrowserContextOptions } from 'playwright-core';

const command = path.resolve('bin/vendor-cloud.js');
const anyPorts = ['--agent-port', '0', '--sandbox-port', '0', '--mcp-port', '0'];

/** A session of `demo` or `dev`, with the cookie of a browser that its one-time link has signed in. */
export interface ConsoleSession {
  readonly origin: string;
  readonly state: NonNullable<BrowserContextOptions['storageState']>;
  stop(): Promise<void>;
}

/** The sample shop, made in a folder that is not there yet. */
export function startDemo(browser: Browser, project: string): Promise<ConsoleSession> {
  return start(browser, project, ['demo', project]);
}

/** A project on the SQLite database `file`, made in a folder that is not there yet. */
export async function startProject(browser: Browser, project: string, file: string): Promise<ConsoleSession> {
  await execa('node', [command, 'bootstrap', project, '--uri', `sqlite:${file}`, '--no-install', '--no-git']);
  return await start(browser, project, ['dev', '--no-typecheck', '--project', project]);
}

async function start(browser: Browser, project: string, parameters: readonly string[]): Promise<ConsoleSession> {
  const session = execa('node', [command, ...parameters, '--json', ...anyPorts], {
    stderr: 'ignore',
    reject: false,
    timeout: 30 * 60_000,
  });
  for await (const line of createInterface({ input: session.stdout })) {
    if ((JSON.parse(line) as { event: string }).event !== 'ready') continue;
    session.stdout.resume();
    return {
      ...(await signIn(browser, project)),
      async stop() {
        session.kill('SIGINT');
        await session;
      },
    };
  }
  throw new Error(`vendor-cloud ${parameters[0]} did not start.`);
}

async function signIn(browser: Browser, project: string) {
  const { stdout } = await execa('node', [command, 'sign-in-link'], { cwd: project });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(stdout.trim());
  await page.waitForURL(/\/data\//);
  const state = await context.storageState();
  const { origin } = new URL(page.url());
  await context.close();
  return { origin, state };
}
