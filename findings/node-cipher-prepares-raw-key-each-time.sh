#!/usr/bin/env bash
# Node.js 24.21: a short text is sealed about three times as fast with a KeyObject as with the same key as bytes.
#
# Guess: `createCipheriv` takes the 32 bytes of a key as they are, so that `createSecretKey` only adds an object around them.
# Seen (24.21.0): with AES-256-GCM and a text of nine characters, 16 to 17 µs with the bytes, 5 µs with a KeyObject made once. The bytes are
# made a KeyObject again at each call. A nonce of its own from `randomBytes(12)` costs 4 to 5 µs more, as much as all the rest; from 256
# nonces that are filled together, less than 0.1 µs. So a server that seals a cursor with each page spent 21 µs where 5 do.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0
export PATH="$folder/node_modules/node/bin:$PATH"
cat > look.mjs <<'JS'
import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto';

const bytes = randomBytes(32);
const keyObject = createSecretKey(bytes);
const nonce = randomBytes(12);

function seal(key) {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([cipher.update('[15,[15]]', 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

const count = 20_000;
function microseconds(work) {
  for (let warm = 0; warm < count; warm++) work();
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 7; round++) {
    const begun = performance.now();
    for (let index = 0; index < count; index++) work();
    fastest = Math.min(fastest, performance.now() - begun);
  }
  return Number(((fastest * 1000) / count).toFixed(2));
}

console.log(process.version);
const isSame = seal(bytes).equals(seal(keyObject));
const seen = { bytes: microseconds(() => seal(bytes)), keyObject: microseconds(() => seal(keyObject)) };
console.log('both seal to the same bytes:', isSame, JSON.stringify(seen));
const isAsSeen = isSame && seen.bytes > 1.8 * seen.keyObject;
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node look.mjs
