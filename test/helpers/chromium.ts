import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';

/** The shell has no window, and takes half the processor time of the whole browser. */
const program = ['chromium-headless-shell', 'chromium', 'chromium-browser']
  .map((name) => `/usr/bin/${name}`)
  .find((file) => existsSync(file));

/** A page, and what went wrong in it. */
interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts, and what the content security policy refused. */
  readonly complaints: readonly string[];
}

/** Resolves to a page of a profile of its own, which is closed when the test ends. */
export type OpenPage = (options?: BrowserContextOptions) => Promise<OpenedPage>;

/** Tests in Chromium, which is there while they run; skipped where the machine has none. */
export function describeInChromium(name: string, suite: (openPage: OpenPage) => void): void {
  const reason = program === undefined ? ' (skipped: Chromium is not installed)' : '';
  describe.skipIf(program === undefined)(`${name}${reason}`, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      // Chromium has no sandbox for root.
      const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
      browser = await chromium.launch({ args, ...(program === undefined ? {} : { executablePath: program }) });
    });
    afterAll(() => browser?.close());
    suite(async (options) => {
      if (!browser) throw new Error('Chromium is there while tests run.');
      return openPageIn(browser, options);
    });
  });
}

async function openPageIn(browser: Browser, options?: BrowserContextOptions): Promise<OpenedPage> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  // What hangs only has to end some day: a busy machine is ten times as slow.
  context.setDefaultTimeout(3 * 60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    // The console tells the status of every refused request as an error.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded');
    if (message.type() === 'error' && !isStatus) complaints.push(message.text());
  });
  return { page, complaints };
}
