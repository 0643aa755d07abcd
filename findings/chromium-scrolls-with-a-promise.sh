#!/usr/bin/env bash
# Chromium 156 and React 19: an effect that ends in `scrollIntoView` without braces takes the page away at the next change.
#
# Guess: `scrollIntoView` returns undefined, as every type of TypeScript's `lib.dom` says. So `useEffect(() => element.scrollIntoView(), [answer])`
# has no cleanup, and compiles.
# Seen (Chromium 156.0.8078.108, react 19.3.1): the method returns a promise. `scrollTo` and `scrollBy` of an element and of the window do, too.
# React keeps what an effect returns, and calls it before the effect runs again, and again when it takes the tree away: "is not a
# function". Nothing of the tree is left on the page. The first run looks right. `void` before the call, or braces, keep the promise away
# from React.
set -euo pipefail
chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$chromium" ]; then echo "skipped: Chromium is not installed"; exit 0; fi
version=$("$chromium" --version 2> /dev/null | grep -o '[0-9]*\.[0-9.]*' | head -1)
if [ "${version%%.*}" != 156 ]; then echo "skipped: this is Chromium $version, and 156 was looked at"; exit 0; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund react@19.3.1 react-dom@19.3.1 esbuild@0.28.2 playwright-core@1.65.1
cat > page.jsx <<'JS'
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';

function Answer({ isVoid }) {
  const [count, setCount] = useState(1);
  const place = useRef(null);
  useEffect(() => (isVoid ? void place.current.scrollIntoView() : place.current.scrollIntoView()), [count]);
  return <button ref={place} type="button" onClick={() => setCount(count + 1)}>{`answer ${count}`}</button>;
}

for (const id of ['plain', 'void']) {
  createRoot(document.getElementById(id), { onUncaughtError: (error) => window.errors.push(error.message) })
    .render(<Answer isVoid={id === 'void'} />);
}
JS
npx esbuild page.jsx --bundle --jsx=automatic --define:process.env.NODE_ENV='"production"' --outfile=page.js --log-level=error
cat > run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const browser = await chromium.launch({ executablePath: process.argv[2], args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
const page = await browser.newPage();
await page.setContent('<!doctype html><title>page</title><script>window.errors = []</script><main id="plain"></main><main id="void"></main>');
const returned = await page.evaluate(() => Object.fromEntries([
  ['scrollIntoView', document.body.scrollIntoView()],
  ['element.scrollTo', document.body.scrollTo(0, 0)],
  ['element.scrollBy', document.body.scrollBy(0, 0)],
  ['window.scrollTo', window.scrollTo(0, 0)],
].map(([name, value]) => [name, value instanceof Promise ? 'a promise' : String(value)])));
await page.addScriptTag({ content: readFileSync('page.js', 'utf8') });
await page.waitForSelector('#void button');
const before = await page.locator('#plain').textContent();
for (const id of ['plain', 'void']) await page.locator(`#${id} button`).click();
await page.getByText('answer 2').first().waitFor();
const seen = {
  returned,
  before,
  after: await page.locator('#plain').textContent(),
  withVoid: await page.locator('#void').textContent(),
  errors: (await page.evaluate(() => window.errors)).map((message) => message.replace(/^.*(is not a function).*$/, '$1')),
};
console.log(browser.version(), seen);
await browser.close();
const promised = ['scrollIntoView', 'element.scrollTo', 'element.scrollBy', 'window.scrollTo'].map((name) => [name, 'a promise']);
const expected = {
  returned: Object.fromEntries(promised),
  before: 'answer 1', after: '', withVoid: 'answer 2', errors: ['is not a function', 'is not a function'],
};
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
timeout 120 node run.mjs "$chromium"
