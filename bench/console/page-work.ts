import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** What a page costs until its list is painted. */
export interface PageWork {
  /** Processor time of the main thread of the page, in milliseconds. */
  readonly workMs: number;
  /** What came over the wire, each body with gzip. */
  readonly gzipBytes: number;
  readonly nodes: number;
}

/** The usual window. */
const viewport = { width: 1280, height: 900 };

/**
 * Open a page, and wait until `rows` finds `count` elements in it.
 *
 * @param rows a CSS selector
 */
export async function measurePage(
  browser: Browser,
  url: string,
  { rows, count }: { readonly rows: string; readonly count: number },
  storageState?: BrowserContextOptions['storageState'],
): Promise<PageWork> {
  const before = new Set(renderers());
  const context = await browser.newContext({ viewport, ...(storageState === undefined ? {} : { storageState }) });
  const page = await context.newPage();
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    // A stream of events has no end.
    if (response.request().resourceType() === 'eventsource') return;
    sizes.push(
      response.body().then(
        (body) => gzipSync(body).length,
        () => 0,
      ),
    );
  });
  await page.goto(url, { waitUntil: 'commit' });
  const found = page.locator(rows);
  for (let tries = 0; (await found.count()) < count; tries += 1) {
    if (tries === 300) throw new Error(`${url} shows ${await found.count()} rows of ${count}.`);
    await page.waitForTimeout(100);
  }
  // What the page does beside the rows belongs to its start.
  await page.waitForTimeout(500);
  const workMs = Math.max(
    ...renderers()
      .filter((pid) => !before.has(pid))
      .map(mainThreadMs),
  );
  const nodes = await page.evaluate('document.getElementsByTagName("*").length');
  const gzipBytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await context.close();
  return { workMs, gzipBytes, nodes: Number(nodes) };
}

/** What the thread of a page works while something is done with it, in milliseconds. */
export async function measureThread(page: Page, act: () => Promise<void>): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  const taskMs = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
  };
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await taskMs();
  await act();
  const after = await taskMs();
  await devTools.detach();
  return after - before;
}

/** What the page keeps, in megabytes. */
export async function heapMbOf(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  await devTools.detach();
  return usedSize / 1e6;
}

/** The processes of Chromium that show pages. Its own window is one of a kind of its own. */
function renderers(): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    const command = /^\d+$/.test(pid) ? commandOf(pid) : '';
    return command.includes('--type=renderer') && !command.includes('--top-chrome-webui');
  });
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

/** The clock of the thread, which other programs on the machine do not move. */
function mainThreadMs(pid: string): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
