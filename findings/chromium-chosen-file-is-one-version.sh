#!/usr/bin/env bash
# Chromium: a page that got a file from its chooser cannot read it any more once a program has added a line to it.
#
# Guess: a `File` is a handle, so a second look reads what is there now; or it is a copy, so it reads what was there.
# Seen (Chromium 156): it is neither. The name and the size stay those of the choice. Reading gives `NotReadableError` after the file has grown, and
# also after it was written again with the same bytes. The page has to ask for the file again. A log that grows by an export
# every minute is such a file.
set -euo pipefail
chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$chromium" ]; then echo "skipped: Chromium is not installed"; exit 0; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts playwright-core@1.65.1
cat > run.mjs <<'JS'
import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><title>page</title><input type="file">');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const browser = await chromium.launch({ executablePath: process.argv[2], args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
const read = () => page.evaluate(async () => {
  const file = window.chosen ??= document.querySelector('input').files[0];
  return [file.size, await file.text().catch((error) => error.name)];
});
const choose = async () => {
  await page.evaluate(() => { window.chosen = undefined; });
  await page.setInputFiles('input', 'log.ndjson');
};
const seen = {};
writeFileSync('log.ndjson', 'one\n');
await choose();
seen.chosen = await read();
appendFileSync('log.ndjson', 'two\n');
seen.grown = await read();
await choose();
seen.chosenAgain = await read();
writeFileSync('log.ndjson', 'one\ntwo\n');
const later = Date.now() / 1000 + 5;
utimesSync('log.ndjson', later, later);
seen.sameBytesLater = await read();
console.log(browser.version(), seen);
await browser.close();
server.close();
const expected = {
  chosen: [4, 'one\n'], grown: [4, 'NotReadableError'], chosenAgain: [8, 'one\ntwo\n'], sameBytesLater: [8, 'NotReadableError'],
};
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs "$chromium"
