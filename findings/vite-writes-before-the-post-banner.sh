#!/usr/bin/env bash
# A Vite page whose entry has the hint of Chromium that its functions run at once: a banner is not at the top, where the hint has to be.
#
# Guess: `output.banner` or `output.postBanner` of Rolldown puts a comment on the first line of the entry, and Chromium 136 and later obeys it.
# Seen (vite 8.3.8, rolldown 1.2.19, Chromium 156): `banner` is gone after minification. `postBanner` stays, but where the entry loads a part by `import()`
# and that part has imports of its own, Vite writes its table of them above it. Chromium reads the hint on the first lines only. So the functions are
# compiled one by one in the page's thread; with the comment put on top after the build, most of them are compiled in another.
set -euo pipefail
chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$chromium" ]; then echo "skipped: Chromium is not installed"; exit 0; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts vite@8.3.8 playwright-core@1.65.1
echo '<!doctype html><title>page</title><script type="module" src="/entry.js"></script>' > index.html
echo 'export const shared = (name) => `shared ${name}`;' > shared.js
echo 'import { shared } from "./shared.js"; export const late = () => shared("late");' > late.js
echo 'import { shared } from "./shared.js"; export const later = () => shared("later");' > later.js
# Two hundred functions that all run when the page loads.
node -e "
for (let at = 0; at < 200; at++) console.log('function f' + at + '(value) { const text = String(value) + ' + at + '; return text.length > 9 ? text.slice(1) : text; }');
console.log('globalThis.result = [' + Array.from({ length: 200 }, (_, at) => 'f' + at).join() + '].map((each, at) => each(at * Math.random()));');
console.log('globalThis.load = () => Promise.all([import(\"./late.js\"), import(\"./later.js\")]);');
" > entry.js
cat > run.mjs <<'JS'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { build } from 'vite';

const hint = '//# allFunctionsCalledOnLoad';

async function entryOf(output) {
  await build({ configFile: false, logLevel: 'error', build: { minify: true, rolldownOptions: { output } } });
  const name = readdirSync('dist/assets').find((file) => file.startsWith('index'));
  return path.join('dist/assets', name);
}

/** How many functions the page's thread compiles, one by one. */
async function compiledOneByOne(browser) {
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.end(url === '/favicon.ico' ? '' : readFileSync(path.join('dist', url === '/' ? 'index.html' : url)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const devTools = await browser.newBrowserCDPSession();
  const events = [];
  devTools.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await devTools.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['v8', 'devtools.timeline', 'disabled-by-default-v8.compile'] } });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`, { waitUntil: 'load' });
  const complete = new Promise((resolve) => devTools.once('Tracing.tracingComplete', resolve));
  await devTools.send('Tracing.end');
  await complete;
  await page.close();
  await devTools.detach();
  server.close();
  // Chromium's own window has a process of the same kind.
  const own = events.find(({ name, args }) => name === 'ResourceSendRequest' && args.data.url.includes('/assets/index'));
  return events.filter(({ name, pid, tid }) => name === 'V8.CompileCode' && pid === own.pid && tid === own.tid).length;
}

const browser = await chromium.launch({ executablePath: process.argv[2], args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
const banner = readFileSync(await entryOf({ banner: hint }), 'utf8');
const file = await entryOf({ postBanner: hint });
const postBanner = readFileSync(file, 'utf8');
const below = await compiledOneByOne(browser);
writeFileSync(file, `${hint}\n${postBanner.replace(hint, '')}`);
const onTop = await compiledOneByOne(browser);
const seen = {
  banner: banner.includes(hint),
  postBanner: postBanner.startsWith(hint) ? 'first line' : postBanner.includes(hint) ? 'below' : 'gone',
  'all functions one by one, below': below >= 200,
  'few, on top': onTop < 50,
};
console.log(browser.version(), seen, { below, onTop });
await browser.close();
const expected = { banner: false, postBanner: 'below', 'all functions one by one, below': true, 'few, on top': true };
if (JSON.stringify(seen) !== JSON.stringify(expected)) {
  console.error('changed');
  process.exit(1);
}
JS
node run.mjs "$chromium"
