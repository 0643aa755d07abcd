import path from 'node:path';
import type { Browser } from 'playwright-core';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { startSandbox } from '#sandbox/index';
import { registerFilled } from '../audit/audit.ts';
import { fillSqlite } from '../audit/fill-sqlite.ts';
import { envSecret } from '../audit/platform-process.ts';
import { median } from '../statistics.ts';
import { measurePage } from './page-work.ts';

export interface LogPageOptions {
  readonly folder: string;
  readonly rounds: number;
  readonly rows: number;
}

/** The work of the first page of a long log, and that of the same screen where no row matches. */
export async function measureLogPage(browser: Browser, { folder, rounds, rows }: LogPageOptions) {
  const file = path.join(folder, 'platform.sqlite');
  await (await startPlatform(file)).stop();
  await fillSqlite(file, 1, 1, rows);
  await registerFilled(`sqlite:${file}`);
  const platform = await startPlatform(file);
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(platform.link);
    await page.waitForURL(/\/console\/development/);
    const state = await context.storageState();
    await context.close();
    const log = new URL('/console/development/log/activity', platform.url).href;
    const works = { full: [] as number[], empty: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const full = await measurePage(browser, log, { rows: '[role=row]', count: 15 }, state);
      const empty = await measurePage(browser, `${log}?collectionName=none`, { rows: 'main h2', count: 1 }, state);
      works.full.push(full.workMs);
      works.empty.push(empty.workMs);
    }
    return { workMs: median(works.full), rowsMs: median(works.full) - median(works.empty) };
  } finally {
    await platform.stop();
  }
}

async function startPlatform(file: string) {
  const sandbox = await startSandbox({
    store: `sqlite:${file}`,
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    platformKey: 'ab'.repeat(32),
    hasSignInLinks: true,
  });
  const user = { name: 'Ada', email: 'ada@example.test' };
  const { userId } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
  return { url: sandbox.url, link: sandbox.makeSignInLink(userId).link, stop: () => sandbox.stop() };
}
