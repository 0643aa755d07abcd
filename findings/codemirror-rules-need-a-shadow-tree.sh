#!/usr/bin/env bash
# CodeMirror 6 under a policy without inline styles: in the page its rules are refused, in a shadow tree they are not.
#
# Guess: an editor that offers `cspNonce` needs a nonce wherever a policy forbids inline styles, or nothing if it uses sheets of the script.
# Seen (@codemirror/view 6.43.15, style-mod 4.1.5, Chromium 156): in the page the editor writes a style element, which `style-src 'self'` refuses: it
# has no rules, and the policy complains. With `root` and `parent` in a shadow tree it adds a sheet by `adoptedStyleSheets`, which the policy
# allows, without a nonce. So an editor in a shadow tree keeps the strict policy.
set -euo pipefail
chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$chromium" ]; then echo "skipped: Chromium is not installed"; exit 0; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @codemirror/view@6.43.15 @codemirror/state@6.7.6 style-mod@4.1.5 playwright-core@1.65.1 esbuild@0.28.2
node node_modules/esbuild/install.js
cat > page.js <<'JS'
import { EditorView } from '@codemirror/view';

window.openEditor = (isShadow) => {
  const host = document.body.appendChild(document.createElement('div'));
  const parent = isShadow ? host.attachShadow({ mode: 'open' }) : host;
  const view = new EditorView({ doc: 'text', parent, ...(isShadow ? { root: parent } : {}) });
  return getComputedStyle(view.dom).display;
};
JS
npx esbuild page.js --bundle --format=iife --outfile=page.bundle.js --log-level=error
cat > run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';

const script = readFileSync('page.bundle.js');
const server = createServer((request, response) => {
  const isScript = request.url === '/page.js';
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  response.setHeader('content-security-policy', "default-src 'none'; script-src 'self'; style-src 'self'");
  response.end(isScript ? script : '<!doctype html><title>page</title><body><script src="/page.js"></script>');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const browser = await chromium.launch({ executablePath: process.argv[2], args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
const seen = {};
for (const place of ['page', 'shadow tree']) {
  const page = await browser.newPage();
  let refused = 0;
  page.on('console', (message) => {
    if (message.text().includes('inline style')) refused += 1;
  });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const display = await page.evaluate((isShadow) => window.openEditor(isShadow), place === 'shadow tree');
  // The complaints of the page have arrived once a later message has.
  await page.evaluate('0');
  seen[place] = { display, isRefused: refused > 0 };
  await page.close();
}
console.log(browser.version(), seen);
await browser.close();
server.close();
const expected = { page: { display: 'block', isRefused: true }, 'shadow tree': { display: 'flex', isRefused: false } };
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs "$chromium"
