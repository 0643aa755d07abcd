#!/usr/bin/env bash
# Node.js 24.21: `util.parseEnv` cuts a value at an escaped quote, where dotenv keeps it.
#
# Guess: `parseEnv` reads what `dotenv` reads, since both call the file `.env`, and a value in double quotes may hold `\"`.
# Seen (24.21.0 and 22.22.2, dotenv 18.0.10): `A="a \"b\" c"` is `a \` for `parseEnv`, without an error, and `a \"b\" c` for dotenv: neither
# takes the escape away. `C="x"y` is `x` for the first and `"x"y` for the second. A byte order mark becomes part of the first name.
# `node --env-file` cuts the first value in the same way.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 dotenv@18.0.10
export PATH="$folder/node_modules/node/bin:$PATH"
cat > look.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { parse } from 'dotenv';
const texts = ['A="a \\"b\\" c"', 'C="x"y', '\uFEFFD=1'];
const seen = texts.map((text) => [parseEnv(text), parse(text)]);
writeFileSync('.env', texts[0]);
const printed = execFileSync(process.execPath, ['--env-file=.env', '-p', 'process.env.A'], { encoding: 'utf8' }).trim();
console.log(process.version);
for (const [index, each] of seen.entries()) console.log(JSON.stringify(texts[index]), 'parseEnv, dotenv:', JSON.stringify(each));
console.log('--env-file:', printed);
const expected = [
  [{ A: 'a \\' }, { A: 'a \\"b\\" c' }],
  [{ C: 'x' }, { C: '"x"y' }],
  [{ '\uFEFFD': '1' }, { D: '1' }],
];
const isAsSeen = JSON.stringify([seen, printed]) === JSON.stringify([expected, 'a \\']);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node look.mjs
