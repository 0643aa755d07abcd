import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../test/helpers/launch-chromium.ts';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { median } from '../statistics.ts';
import { type Peer, startAdminJs } from './admin-js.ts';
import { startDirectus } from './directus.ts';
import { measureLargeModels } from './large-models.ts';
import { measureLogPage } from './log-page.ts';
import { heapMbOf, measurePage, measureThread, type PageWork } from './page-work.ts';
import { type ConsoleSession, startDemo } from './session.ts';

/** The console in Chromium, beside AdminJS and Directus on the same database. A quick run leaves Directus out. */
export async function benchConsole({ isQuick }: BenchOptions): Promise<BenchReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  const browser = await launchChromium();
  const demo = await startDemo(browser, path.join(folder, 'shop'));
  const database = path.join(folder, 'shop/shop.sqlite');
  const adminJs = await startAdminJs(database);
  const directus = isQuick ? undefined : await startDirectus(database);
  try {
    const list = new URL('/console/development/data/orders', demo.origin).href;
    const peers: Readonly<Record<string, Peer>> = directus ? { adminJs, directus } : { adminJs };
    const roundsOf = await inTurns(isQuick ? 3 : 7, {
      empty: () => emptyPage((url) => measurePage(browser, url, { rows: 'p', count: 1 })),
      ours: () => measurePage(browser, list, { rows: '[role=rowheader] a', count: 20 }, demo.state),
      ...Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, () => listOf(browser, peer)])),
    });
    const empty = median(roundsOf('empty').map(({ workMs }) => workMs));
    const workOf = (name: string) => median(roundsOf(name).map(({ workMs }) => workMs)) - empty;
    const leastOfPeers = (figure: (name: string) => number) => Math.min(...Object.keys(peers).map(figure));
    const bytesOf = (name: string) => median(roundsOf(name).map(({ gzipBytes }) => gzipBytes));
    // The limits were set on a machine where an empty page took 81 ms.
    const scaled = (ms: number) => (ms * 81) / empty;
    const dialogMs = await dialogWork(browser, list, demo.state);
    const heapMb = await heapOverNavigations(browser, list, demo.state, isQuick ? 60 : 200);
    const large = await measureLargeModels(browser, {
      folder,
      rounds: isQuick ? 3 : 7,
      rows: Number(process.env['CONSOLE_ROWS'] ?? 20_000),
    });
    const log = await measureLogPage(browser, {
      folder,
      rounds: isQuick ? 3 : 7,
      rows: Number(process.env['CONSOLE_LOG_ROWS'] ?? (isQuick ? 100_000 : 10_000_000)),
    });
    const screens = await screenWork(browser, demo, isQuick ? 3 : 7);
    return {
      name: 'console',
      figures: {
        emptyMs: empty,
        workMs: workOf('ours'),
        ...Object.fromEntries(Object.keys(peers).map((name) => [`${name}WorkMs`, workOf(name)])),
        workRatio: workOf('ours') / leastOfPeers(workOf),
        bytesRatio: bytesOf('ours') / leastOfPeers(bytesOf),
        firstScreenGzipKb: (await firstScreenBytes()) / 1_000,
        nodes: median(roundsOf('ours').map(({ nodes }) => nodes)),
        'heap.firstMb': heapMb.first,
        'heap.growthMb': heapMb.last - heapMb.first,
        'scaled.workMs': scaled(workOf('ours')),
        'scaled.dialogMs': scaled(dialogMs),
        'scaled.formKeyMs': scaled(large.formKeyMs),
        'scaled.collectionsMs': scaled(large.collectionsMs),
        'log.workMs': log.workMs - empty,
        'scaled.logRowsMs': scaled(log.rowsMs),
        ...Object.fromEntries(Object.entries(screens).map(([name, workMs]) => [`${name}WorkMs`, workMs - empty])),
        'scroll.rows': large.scroll.rows,
        'scroll.missing': large.scroll.missing,
        'scroll.repeated': large.scroll.repeated,
        'scroll.heapMb': large.scroll.heapMb,
      },
    };
  } finally {
    await directus?.stop();
    await adminJs.stop();
    await demo.stop();
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function listOf(browser: Browser, { listUrl, signIn }: Peer): Promise<PageWork> {
  return measurePage(browser, listUrl, { rows: 'tbody tr', count: 100 }, await signIn?.());
}

/** Each measurement once a round, so that what the machine does besides meets all of them. */
async function inTurns(
  rounds: number,
  measurements: Readonly<Record<string, () => Promise<PageWork>>>,
): Promise<(name: string) => readonly PageWork[]> {
  const results = new Map<string, PageWork[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measure] of Object.entries(measurements)) {
      results.set(name, [...(results.get(name) ?? []), await measure()]);
    }
  }
  return (name) => results.get(name) ?? [];
}

async function emptyPage(measure: (url: string) => Promise<PageWork>): Promise<PageWork> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Empty</title><p>Empty');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await measure(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.close();
  }
}

/** The work of the screens that show what the agent and the platform know of records and of themselves. */
async function screenWork(browser: Browser, { origin, state }: ConsoleSession, rounds: number) {
  const screens = {
    record: ['data/orders/1', 'main dl'],
    insights: ['insights', 'main h1'],
    approvals: ['approvals', 'main h1'],
  } as const;
  const works: Record<string, number> = {};
  for (const [name, [place, rows]] of Object.entries(screens)) {
    const rounded: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const url = new URL(`/console/development/${place}`, origin).href;
      rounded.push((await measurePage(browser, url, { rows, count: 1 }, state)).workMs);
    }
    works[name] = median(rounded);
  }
  return works;
}

/** The work of opening a dialog, which is the one of the settings. */
async function dialogWork(browser: Browser, list: string, storageState: ConsoleSession['state']): Promise<number> {
  const context = await browser.newContext({ storageState });
  const page = await context.newPage();
  await page.goto(list);
  await page.locator('[role=rowheader] a').nth(15).waitFor();
  const works: number[] = [];
  for (let at = 0; at < 5; at += 1) {
    works.push(
      await measureThread(page, async () => {
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
      }),
    );
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }
  await context.close();
  return median(works);
}

/** The heap after many ways between a list and its records: what a page keeps of the ones before is a leak. */
async function heapOverNavigations(
  browser: Browser,
  list: string,
  storageState: ConsoleSession['state'],
  navigations: number,
) {
  const context = await browser.newContext({ storageState });
  const page = await context.newPage();
  await page.goto(list);
  const walk = async (times: number) => {
    for (let at = 0; at < times; at += 1) {
      await page
        .locator('[role=rowheader] a')
        .nth(at % 15)
        .click();
      await page.locator('main dl').waitFor();
      await page.goBack();
      await page.locator('[role=rowheader] a').nth(15).waitFor();
    }
  };
  await walk(20);
  const first = await heapMbOf(page);
  await walk(navigations / 2);
  const last = await heapMbOf(page);
  await context.close();
  return { first, last };
}

/** What the page names, with gzip: scripts and style sheets that come before anything is shown. */
async function firstScreenBytes(): Promise<number> {
  const folder = path.resolve('dist/console');
  const html = await readFile(path.join(folder, 'index.html'), 'utf8');
  const files = [...html.matchAll(/"\/console\/(assets\/[^"]+)"/g)].map(([, file = '']) =>
    path.join(folder, `${file}.gz`),
  );
  const sizes = await Promise.all(files.map((file) => stat(file)));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
