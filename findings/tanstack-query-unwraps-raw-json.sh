#!/usr/bin/env bash
# TanStack Query 5: a number of `JSON.rawJSON` that is read again with another value becomes an ordinary object.
#
# Guess: the default `structuralSharing` keeps what did not change and takes the rest as the query function returned it.
# Seen (@tanstack/query-core 5.108.4, Node.js 24): the frozen object of `JSON.rawJSON` has no prototype, so the library takes it for a plain
# object and copies its member `rawJSON`. The copy is not raw any more: `JSON.isRawJSON` says `false`, and `JSON.stringify` writes
# `{"rawJSON":"9007199254740995"}` where the digits should stand. The first read is whole, and so is one that brings the same digits.
# A `structuralSharing` of one's own, or `false`, keeps the numbers.
set -euo pipefail
if ! node -e 'process.exit(JSON.rawJSON ? 0 : 1)'; then echo "skipped: this Node.js has no JSON.rawJSON"; exit 0; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @tanstack/query-core@5.108.4
cat > run.mjs <<'JS'
import { QueryClient } from '@tanstack/query-core';

const readings = ['9007199254740993', '9007199254740995'];
async function readTwice(options) {
  const client = new QueryClient();
  const seen = [];
  for (const digits of readings) {
    await client.fetchQuery({ queryKey: ['n'], staleTime: 0, queryFn: () => ({ n: JSON.rawJSON(digits) }), ...options });
    const data = client.getQueryData(['n']);
    seen.push([JSON.isRawJSON(data.n), JSON.stringify(data)]);
  }
  return seen;
}
const seen = { default: await readTwice({}), off: await readTwice({ structuralSharing: false }) };
console.log(process.version, JSON.stringify(seen));
const whole = readings.map((digits) => [true, `{"n":${digits}}`]);
const expected = { default: [whole[0], [false, '{"n":{"rawJSON":"9007199254740995"}}']], off: whole };
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
