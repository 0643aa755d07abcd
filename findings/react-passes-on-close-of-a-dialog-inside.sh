#!/usr/bin/env bash
# React 19: `onClose` and `onCancel` of a dialog are also called for a dialog inside it, although these events do not bubble.
#
# Guess: `close` and `cancel` of a <dialog> do not bubble, so a handler on the outer dialog learns about the outer dialog only. A listener
# that is added with addEventListener does so.
# Seen (react 19.3.1, Chromium 156): React calls the handlers of every ancestor in its own tree, for an event whose `bubbles` is false.
# Closing the inner of two dialogs also calls `onClose` of the outer one, and Escape in the inner one also calls `onCancel` of the
# outer one. A handler has to compare `event.target` with `event.currentTarget`. `cancel` of a file input, which does bubble, comes too.
set -euo pipefail
chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$chromium" ]; then echo "skipped: Chromium is not installed"; exit 0; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund react@19.3.1 react-dom@19.3.1 esbuild@0.28.2 playwright-core@1.65.1
cat > page.jsx <<'JS'
import { createRoot } from 'react-dom/client';

window.heard = [];
const note = (name) => (event) => window.heard.push(`${name} ${event.type}, bubbles: ${event.bubbles}`);
createRoot(document.querySelector('main')).render(
  <dialog id="outer" onClose={note('outer')} onCancel={note('outer')}>
    <dialog id="inner" onClose={note('inner')} onCancel={note('inner')}>
      <button type="button">Here</button>
    </dialog>
  </dialog>,
);
JS
npx esbuild page.jsx --bundle --jsx=automatic --define:process.env.NODE_ENV='"production"' --outfile=page.js --log-level=error
cat > run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const browser = await chromium.launch({ executablePath: process.argv[2], args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
const page = await browser.newPage();
await page.setContent('<!doctype html><title>page</title><main></main>');
await page.addScriptTag({ content: readFileSync('page.js', 'utf8') });
await page.waitForSelector('#inner', { state: 'attached' });
await page.evaluate(() => {
  window.native = [];
  for (const type of ['close', 'cancel']) outer.addEventListener(type, () => window.native.push(type));
  outer.showModal();
  inner.showModal();
});
await page.keyboard.press('Escape');
await page.waitForFunction(() => window.heard.some((line) => line.includes('close')));
const seen = await page.evaluate(() => ({
  heard: window.heard, heardByListeners: window.native, outerIsOpen: outer.open, innerIsOpen: inner.open,
}));
console.log(browser.version(), seen);
await browser.close();
const expected = {
  heard: [
    'inner cancel, bubbles: false', 'outer cancel, bubbles: false', 'inner close, bubbles: false', 'outer close, bubbles: false',
  ],
  heardByListeners: [], outerIsOpen: true, innerIsOpen: false,
};
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
timeout 120 node run.mjs "$chromium"
