import type { BrowserContextOptions, Page } from 'playwright-core';
import type { OpenPage } from './chromium.ts';
import type { DevSession } from './dev-session.ts';

export interface ConsolePage {
  readonly page: Page;
  /** What scripts threw, and what the policy of the page refused. */
  readonly complaints: readonly string[];
  /** Open a place of the console, for instance `data/orders`. */
  goTo(place: string): Promise<void>;
}

/** The console of a session in a browser that a one-time link has signed in, as a new user does it. */
export async function openConsole(
  openPage: OpenPage,
  { controls }: Pick<DevSession, 'controls'>,
  options?: BrowserContextOptions,
): Promise<ConsolePage> {
  const link = controls.makeSignInLink?.().link;
  if (link === undefined) throw new Error('The session makes no sign-in link.');
  const { page, complaints } = await openPage(options);
  await page.goto(link);
  await page.waitForURL(/\/console\/development\/data\//);
  const { origin } = new URL(page.url());
  return { page, complaints, goTo: async (place) => void (await page.goto(`${origin}/console/development/${place}`)) };
}
