#!/usr/bin/env bash
# pg 8.23.1: a query that is given as an object costs twenty times one that is made from its text and named afterwards.
#
# Guess: `client.query({ name, text, values })` reads three properties of the object, and costs about nothing.
# Seen (8.23.1 on Node.js 24.21.0): the constructor of Query first copies the object with the descriptors of all its properties. That takes 1 to 3 µs,
# a tenth of what the rest of a prepared statement costs the process that asks. `new Query(text, values, callback)` with the name set after it takes
# 0.1 µs, and is the same query for `client.query()`: it has the same name, values and mode.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 pg@8.23.1
export PATH="$folder/node_modules/node/bin:$PATH"
cat > look.mjs <<'JS'
import pg from 'pg';

const end = () => {};
const ways = {
  object: (value) => new pg.Query({ name: 'one', text: 'select $1', values: [value], queryMode: 'extended' }, end),
  text(value) {
    const query = new pg.Query('select $1', [value], end);
    query.name = 'one';
    query.queryMode = 'extended';
    return query;
  },
};
const factsOf = ({ name, text, values, queryMode, callback }) => JSON.stringify([name, text, values, queryMode, callback === end]);

const queries = 200_000;
function microseconds(way) {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 7; round++) {
    let prepared = 0;
    const begun = performance.now();
    for (let index = 0; index < queries; index++) prepared += ways[way](index).requiresPreparation() ? 1 : 0;
    if (prepared !== queries) throw new Error('A query is not prepared.');
    fastest = Math.min(fastest, performance.now() - begun);
  }
  return Number(((fastest * 1000) / queries).toFixed(3));
}

console.log(process.version);
const isSame = factsOf(ways.object(7)) === factsOf(ways.text(7));
const seen = { object: microseconds('object'), text: microseconds('text') };
console.log('same query:', isSame, 'µs each:', JSON.stringify(seen));
const isAsSeen = isSame && seen.object > 4 * seen.text;
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node look.mjs
