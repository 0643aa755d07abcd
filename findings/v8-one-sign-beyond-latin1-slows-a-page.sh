#!/usr/bin/env bash
# Node.js 24.21: one bullet in a page of JSON costs more than every letter with an accent: V8 keeps the whole page in two bytes a character.
#
# Guess: "•" (U+2022) and "·" (U+00B7) cost the same, since both leave ASCII and both are written as UTF-8.
# Seen (24.21.0): a page of thirty records is made and encoded in about the same time with "é" or "·" as in ASCII, because a string of Latin-1
# takes one byte a character. With "•" in one field of each record it takes 1.5 to 3 times as long. The server of a list lost a fifth of its
# requests a second by a mask "a•••@example.com", and none by "a···@example.com".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0
export PATH="$folder/node_modules/node/bin:$PATH"
cat > look.mjs <<'JS'
const note = 'A text of some length, as a table of customers has it. '.repeat(4);
const recordsWith = (mail) =>
  Array.from({ length: 30 }, (_, id) => ({ id, mail, note, first: 'Ada', last: 'Lovelace', country: 'FR', balance: '123.45' }));

/** A page as a server joins it from its records, and its length in bytes. */
function encoded(records) {
  let page = '';
  for (const record of records) page += `{"type":"customers","attributes":${JSON.stringify(record)}},`;
  return Buffer.from(page, 'utf8').length;
}

const pages = 500;
function microseconds(records) {
  for (let warm = 0; warm < pages; warm++) encoded(records);
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 15; round++) {
    const begun = performance.now();
    for (let index = 0; index < pages; index++) encoded(records);
    fastest = Math.min(fastest, performance.now() - begun);
  }
  return Number(((fastest * 1000) / pages).toFixed(1));
}

console.log(process.version);
const seen = {
  ascii: microseconds(recordsWith('a***@example.com')),
  latin1: microseconds(recordsWith('a···@example.com')),
  beyond: microseconds(recordsWith('a•••@example.com')),
};
console.log('µs a page:', JSON.stringify(seen));
const isAsSeen = seen.latin1 < 1.35 * seen.ascii && seen.beyond > 1.35 * seen.latin1;
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node look.mjs
