import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Chromium is; `undefined` where the machine has none. The shell has no window, and takes half the processor time of the whole browser. */
export const chromiumProgram = ['chromium-headless-shell', 'chromium', 'chromium-browser']
  .map((name) => `/usr/bin/${name}`)
  .find((file) => existsSync(file));

export async function launchChromium(): Promise<Browser> {
  if (chromiumProgram === undefined) throw new Error('Chromium is not installed. Install chromium-headless-shell.');
  // Chromium has no sandbox for root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ args, executablePath: chromiumProgram });
}
