#!/usr/bin/env bash
# V8 of Node.js 24: a long-lived Set or Map whose entries come and go holds what has left, until the next collection of old objects, and that one
# begins it again.
#
# Guess: what is deleted from a Set is garbage at once, and if it is young, the next collection of new objects takes it.
# Seen: when a table of a Set is full, V8 makes another one, and the old table points to the new one for the iterators that may still be
# on their way. Usually all of them die young. But a collection of old objects moves the table of that moment to the old objects, where it dies
# soon, and is still counted as a holder by the collections of new objects. It holds the next table, that one the next, and each table
# what was in it when it was left. So everything that goes through the Set grows old: collections of new objects take ten times as long,
# and those of old objects come again and again. An array does none of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.9.0
export PATH="$folder/node_modules/node/bin:$PATH"
cat > run.mjs <<'JS'
import { constants, PerformanceObserver } from 'node:perf_hooks';

const kind = process.argv[2];
const set = new Set();
const map = new Map();
const list = [];
const add = { set: (item) => set.add(item), map: (item) => map.set(item.id, item), array: (item) => list.push(item) }[kind];
const remove = {
  set: (item) => set.delete(item),
  map: (item) => map.delete(item.id),
  array: (item) => list.splice(list.lastIndexOf(item), 1),
}[kind];

const seen = { minor: 0, minorMs: 0, major: 0 };
new PerformanceObserver((entries) => {
  for (const { detail, duration } of entries.getEntries()) {
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) seen.major += 1;
    if (detail.kind !== constants.NODE_PERFORMANCE_GC_MINOR) continue;
    seen.minor += 1;
    seen.minorMs += duration;
  }
}).observe({ entryTypes: ['gc'] });

// Requests that hold 10 KB each, of which 16 are under way at a time.
const underWay = [];
for (let id = 0; id < 200_000; id++) {
  const item = { id, held: new Array(1250).fill(id) };
  add(item);
  underWay.push(item);
  if (underWay.length > 16) remove(underWay.shift());
  if (id === 20_000) gc();
  if (id % 1000 === 0) await new Promise(setImmediate);
}
await new Promise(setImmediate);
console.log(`${kind}: ${seen.major} collections of old objects, ${(seen.minorMs / seen.minor).toFixed(2)} ms for one of new objects`);
// The one that was asked for is among them.
const isAsSeen = kind === 'array' ? seen.major <= 3 : seen.major >= 8;
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node --version
for kind in set map array; do node --expose-gc run.mjs "$kind"; done
