import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { type APIRequestContext, request as requests } from 'playwright-core';
import { freePort } from '../../test/helpers/free-port.ts';
import type { Peer } from './admin-js.ts';

const folder = path.resolve('.cache/bench-console-directus');
/** Of November 2026. 12.4.1 names a version of its interface that the registry does not have. */
const directus = 'directus@12.4.0';
/** Directus builds two modules for its Node.js; this package has the headers that they need. */
const node = `node-${process.platform}-${process.arch}`;
const nodeVersion = '22.23.3';
const built = ['isolated-vm', 'sqlite3'];
const person = { email: 'admin@example.com', password: 'correct horse battery' };
const columns = [
  ...['id', 'reference', 'customer_id', 'shipping_address_id', 'coupon_code'],
  ...['status', 'total', 'currency', 'note', 'ordered_at'],
];

/**
 * Install Directus where it is not, and start it on a copy of a database, to which it adds tables of its own. The first time takes some
 * minutes, a C++ compiler and Python.
 */
export async function startDirectus(database: string): Promise<Peer> {
  const { program } = await installDirectus();
  const copy = path.join(path.dirname(database), 'directus.sqlite');
  await rm(copy, { force: true });
  await copyFile(database, copy);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const options = {
    cwd: folder,
    stderr: 'ignore',
    timeout: 15 * 60_000,
    env: {
      ...{ DB_CLIENT: 'sqlite3', DB_FILENAME: copy, HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: origin },
      ...{ KEY: 'the bench', SECRET: 'a secret of the bench that is long enough' },
      ...{ ADMIN_EMAIL: person.email, ADMIN_PASSWORD: person.password, TELEMETRY: 'false', NODE_ENV: 'production' },
    },
  } as const;
  await execa(program, ['node_modules/directus/cli.js', 'bootstrap'], options);
  const server = execa(program, ['node_modules/directus/cli.js', 'start'], { ...options, reject: false });
  const request = await requests.newContext({ baseURL: origin });
  try {
    await started(server.stdout);
    await signIn(request);
    await request.patch('/collections/orders', { data: { meta: { hidden: false } }, failOnStatusCode: true });
    const layout = { layout: 'tabular', layout_query: { tabular: { limit: 100, page: 1, fields: columns } } };
    await request.post('/presets', { data: { collection: 'orders', ...layout }, failOnStatusCode: true });
    return {
      listUrl: `${origin}/admin/content/orders`,
      // A page that opens replaces the session, so that each needs one of its own.
      async signIn() {
        const visitor = await requests.newContext({ baseURL: origin });
        await signIn(visitor);
        const state = await visitor.storageState();
        await visitor.dispose();
        return state;
      },
      async stop() {
        server.kill();
        await server;
      },
    };
  } catch (error) {
    server.kill();
    throw error;
  } finally {
    await request.dispose();
  }
}

function signIn(request: APIRequestContext) {
  return request.post('/auth/login', { data: { ...person, mode: 'session' }, failOnStatusCode: true });
}

async function started(output: Readable): Promise<void> {
  for await (const line of createInterface({ input: output })) {
    if (!line.includes('Server started')) continue;
    output.resume();
    return;
  }
  throw new Error('Directus did not start.');
}

/** Install and build Directus where it is not; its Node.js and its folder. */
export async function installDirectus(): Promise<{ readonly program: string; readonly cwd: string }> {
  const runtime = path.join(folder, 'node_modules', node);
  if (!existsSync(path.join(folder, 'node_modules', 'built'))) await install(runtime);
  return { program: path.join(runtime, 'bin/node'), cwd: folder };
}

async function install(runtime: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
  await execa('npm', ['install', ...flags, directus, `${node}@${nodeVersion}`], { cwd: folder });
  const builder = path.join(folder, 'node_modules/node-gyp/bin/node-gyp.js');
  for (const module of built) {
    const cwd = path.join(folder, 'node_modules', module);
    // A setting of npm on the machine would come before an option of the command line.
    const env = { npm_config_nodedir: runtime };
    await execa(path.join(runtime, 'bin/node'), [builder, 'rebuild', '--release'], { cwd, env });
  }
  await writeFile(path.join(folder, 'node_modules', 'built'), '');
}
