#!/usr/bin/env bash
# @simplewebauthn/server 14.0.3: options made by default ask for user verification where there is one, and the check by default demands it.
#
# Guess: without further settings, `verifyRegistrationResponse` takes what `generateRegistrationOptions` asks for.
# Seen (14.0.3): the options say `userVerification: "preferred"`, so a security key without a PIN makes a passkey by a touch. The check of its answer
# rejects with "User verification was required, but user could not be verified", also for options that said "discouraged". It takes
# `requireUserVerification: false`. A laptop with a fingerprint reader always verifies, so tests on one see nothing of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @simplewebauthn/server@14.0.3
export PATH="$folder/node_modules/node/bin:$PATH"
cat > look.mjs <<'JS'
import { createHash, generateKeyPairSync } from 'node:crypto';
import { generateRegistrationOptions, verifyRegistrationResponse } from '@simplewebauthn/server';
const [rpID, origin] = ['example.test', 'https://example.test'];
const text = (value) => Buffer.from(value).toString('base64url');
/** What a security key without a PIN answers: somebody has touched it, and nothing more is known of them. */
const touched = (challenge) => {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const bytes = (value) => Buffer.concat([Buffer.from([0x58, 0x20]), Buffer.from(value, 'base64url')]);
  const key = Buffer.concat([Buffer.from('a5010203262001', 'hex'), Buffer.from([0x21]), bytes(x), Buffer.from([0x22]), bytes(y)]);
  const id = Buffer.alloc(16, 7);
  const present = Buffer.from([0x41, 0, 0, 0, 0]);
  const rp = createHash('sha256').update(rpID).digest();
  const data = Buffer.concat([rp, present, Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
  const head = Buffer.concat([Buffer.from([0xa3, 0x63]), Buffer.from('fmt'), Buffer.from([0x64]), Buffer.from('none')]);
  const rest = Buffer.concat([Buffer.from([0x67]), Buffer.from('attStmt'), Buffer.from([0xa0, 0x68]), Buffer.from('authData')]);
  const attestationObject = text(Buffer.concat([head, rest, Buffer.from([0x58, data.length]), data]));
  const clientDataJSON = text(JSON.stringify({ type: 'webauthn.create', challenge, origin }));
  const response = { attestationObject, clientDataJSON };
  return { id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {}, response };
};
const seen = [];
for (const authenticatorSelection of [undefined, { userVerification: 'discouraged' }]) {
  for (const more of [{}, { requireUserVerification: false }]) {
    const options = await generateRegistrationOptions({ rpName: 'a', rpID, userName: 'a', authenticatorSelection });
    const expected = { expectedChallenge: options.challenge, expectedOrigin: origin, expectedRPID: rpID };
    const answer = await verifyRegistrationResponse({ response: touched(options.challenge), ...expected, ...more }).then(
      ({ verified }) => String(verified),
      ({ message }) => message,
    );
    seen.push([options.authenticatorSelection.userVerification, JSON.stringify(more), answer]);
    console.log('asked:', seen.at(-1)[0], ' checked with:', seen.at(-1)[1], ' answer:', answer);
  }
}
const refusal = 'User verification was required, but user could not be verified';
const isAsSeen = JSON.stringify(seen.map(([asked, , answer]) => [asked, answer])) === JSON.stringify([
  ['preferred', refusal],
  ['preferred', 'true'],
  ['discouraged', refusal],
  ['discouraged', 'true'],
]);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node look.mjs
