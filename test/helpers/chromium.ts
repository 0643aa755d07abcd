import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { chromiumProgram, launchChromium } from './launch-chromium.ts';

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
  const reason = chromiumProgram === undefined ? ' (skipped: Chromium is not installed)' : '';
  describe.skipIf(chromiumProgram === undefined)(`${name}${reason}`, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await launchChromium();
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
