import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import type { BrowserContextOptions } from 'playwright-core';

const folder = path.resolve('.cache/bench-console-adminjs');
/** Of November 2026. The driver is the one that has binaries for the Node.js of this checkout; TypeORM names an older one. */
const packages = [
  'adminjs@7.8.17',
  '@adminjs/express@6.1.1',
  '@adminjs/typeorm@5.0.1',
  'typeorm@0.3.31',
  'express@4.22.3',
  'express-session@1.19.0',
  'express-formidable@1.2.0',
];
const driver = 'better-sqlite3@13.2.0';

/** Another tool that shows the same database. */
export interface Peer {
  /** The list of a hundred orders. */
  readonly listUrl: string;
  /** The cookies of somebody who has just signed in; absent where nobody has to. */
  signIn?(): Promise<BrowserContextOptions['storageState']>;
  stop(): Promise<void>;
}

/** Install AdminJS where it is not, and start it on a database. */
export async function startAdminJs(database: string): Promise<Peer> {
  if (!existsSync(path.join(folder, 'node_modules/adminjs'))) await install();
  await cp(path.resolve('bench/console/admin-js-server.js'), path.join(folder, 'server.js'));
  const server = execa('node', ['server.js', database], {
    cwd: folder,
    env: { NODE_ENV: 'production' },
    stderr: 'ignore',
    reject: false,
    timeout: 15 * 60_000,
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const port = /listening on (\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    return {
      listUrl: `http://127.0.0.1:${port}/admin/resources/Order?perPage=100`,
      async stop() {
        server.kill();
        await server;
      },
    };
  }
  throw new Error('AdminJS did not start.');
}

async function install(): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
  await execa('npm', ['install', ...flags, ...packages], { cwd: folder });
  await execa('npm', ['install', ...flags, '--legacy-peer-deps', driver], { cwd: folder });
  await execa('node', ['node_modules/esbuild/install.js'], { cwd: folder, reject: false });
}
