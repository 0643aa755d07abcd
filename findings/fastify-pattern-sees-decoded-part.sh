#!/usr/bin/env bash
# Fastify 5: the pattern of a parameter is matched with the decoded part of the path, although the path is cut at slashes before.
#
# Guess: `[^/]+` matches every part of a path, because a part holds no slash, and a slash inside of a name comes as %2F.
# Seen (5.12.8, find-my-way 9.10.1): `/:name` takes /a%2Fb and gives `a/b`. `/:name(^[^/]+).csv` answers 404 to /a%2Fb.csv, as the pattern sees
# `a/b.csv`. `/:name(^[\s\S]+).csv` takes it, and still no part with a slash of its own. So a pattern has to allow slashes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts fastify@5.12.8 find-my-way@9.10.1
cat > run.mjs <<'JS'
import fastify from 'fastify';

async function answers(path, ...asked) {
  const app = fastify();
  app.get(path, async ({ params }) => params.name);
  const seen = [];
  for (const url of asked) {
    const { statusCode, payload } = await app.inject(url);
    seen.push(statusCode === 200 ? payload : statusCode);
  }
  await app.close();
  return seen;
}

const seen = {
  'no pattern': await answers('/:name', '/ab', '/a%2Fb', '/a/b'),
  '[^/]+': await answers('/:name(^[^/]+).csv', '/ab.csv', '/a%2Fb.csv', '/a/b.csv'),
  '[\\s\\S]+': await answers('/:name(^[\\s\\S]+).csv', '/ab.csv', '/a%2Fb.csv', '/a/b.csv'),
};
console.log(seen);
const expected = [['ab', 'a/b', 404], ['ab', 404, 404], ['ab', 'a/b', 404]];
const isAsSeen = JSON.stringify(Object.values(seen)) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
