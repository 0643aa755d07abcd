import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { median } from '../statistics.ts';
import { measurePage, type PageWork } from './page-work.ts';
import { startAdminJs } from './peer.ts';

const command = path.resolve('bin/vendor-cloud.js');

/** The console in Chromium, beside AdminJS on the same database. */
export async function benchConsole({ isQuick }: BenchOptions): Promise<BenchReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const demo = await startDemo(path.join(folder, 'shop'));
  const peer = await startAdminJs(path.join(folder, 'shop/shop.sqlite'));
  try {
    const session = await signIn(browser, demo.project);
    const list = new URL('/console/development/data/orders', session.origin).href;
    const rounds = await inTurns(isQuick ? 3 : 7, {
      empty: () => emptyPage((url) => measurePage(browser, url, { rows: 'p', count: 1 })),
      ours: () => measurePage(browser, list, { rows: '[role=rowheader] button', count: 20 }, session.state),
      adminJs: () => measurePage(browser, peer.listUrl, { rows: 'tbody tr', count: 100 }),
    });
    const work = (name: keyof typeof rounds) => median(rounds[name].map(({ workMs }) => workMs));
    const empty = work('empty');
    const heapMb = await heapOverNavigations(browser, list, session.state, isQuick ? 60 : 200);
    return {
      name: 'console',
      figures: {
        emptyMs: empty,
        workMs: work('ours') - empty,
        adminJsWorkMs: work('adminJs') - empty,
        workRatio: (work('ours') - empty) / (work('adminJs') - empty),
        bytesRatio: bytesOf(rounds.ours) / bytesOf(rounds.adminJs),
        firstScreenGzipKb: (await firstScreenBytes()) / 1_000,
        nodes: median(rounds.ours.map(({ nodes }) => nodes)),
        'heap.firstMb': heapMb.first,
        'heap.growthMb': heapMb.last - heapMb.first,
      },
    };
  } finally {
    await peer.stop();
    await demo.stop();
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each measurement once a round, so that what the machine does besides meets all of them. */
async function inTurns<Name extends string>(
  rounds: number,
  measurements: Readonly<Record<Name, () => Promise<PageWork>>>,
): Promise<Record<Name, PageWork[]>> {
  const names = Object.keys(measurements) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as PageWork[]])) as Record<Name, PageWork[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results[name].push(await measurements[name]());
  }
  return results;
}

function bytesOf(works: readonly PageWork[]): number {
  return median(works.map(({ gzipBytes }) => gzipBytes));
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

async function startDemo(project: string) {
  const ports = ['--agent-port', '0', '--sandbox-port', '0', '--mcp-port', '0'];
  const demo = execa('node', [command, 'demo', project, '--json', ...ports], {
    stderr: 'ignore',
    reject: false,
    timeout: 15 * 60_000,
  });
  for await (const line of createInterface({ input: demo.stdout })) {
    if ((JSON.parse(line) as { event: string }).event !== 'ready') continue;
    demo.stdout.resume();
    return {
      project,
      async stop() {
        demo.kill('SIGINT');
        await demo;
      },
    };
  }
  throw new Error('The demo did not start.');
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

/** The heap after many ways between a list and its records: what a page keeps of the ones before is a leak. */
async function heapOverNavigations(
  browser: Browser,
  list: string,
  storageState: Awaited<ReturnType<typeof signIn>>['state'],
  navigations: number,
) {
  const context = await browser.newContext({ storageState });
  const page = await context.newPage();
  await page.goto(list);
  const walk = async (times: number) => {
    for (let at = 0; at < times; at += 1) {
      await page
        .locator('[role=rowheader] button')
        .nth(at % 15)
        .click();
      await page.locator('main dl').waitFor();
      await page.goBack();
      await page.locator('[role=rowheader] button').nth(15).waitFor();
    }
  };
  await walk(20);
  const first = await heapMbOf(page);
  await walk(navigations / 2);
  const last = await heapMbOf(page);
  await context.close();
  return { first, last };
}

async function heapMbOf(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  await devTools.detach();
  return usedSize / 1e6;
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
