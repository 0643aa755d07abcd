#!/usr/bin/env bash
# oidc-provider 9.13: its device flow names no `interval`, and never answers `slow_down`.
#
# Guess: the answer of the device endpoint has an `interval`, and a device that asks for its token too often gets `slow_down`, as RFC 8628
# describes both.
# Seen (9.13.3): the answer has `device_code`, `user_code`, both addresses and `expires_in`, and no `interval`. Of 20 requests without a pause each
# gets `authorization_pending`. The class of the error `slow_down` is exported; a platform that wants it throws it from its adapter.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 oidc-provider@9.13.3
export PATH="$folder/node_modules/node/bin:$PATH"
cat > look.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
const { default: Provider, errors } = await import('oidc-provider');
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'device',
      token_endpoint_auth_method: 'none',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
      response_types: [],
      redirect_uris: [],
    },
  ],
  features: { deviceFlow: { enabled: true }, devInteractions: { enabled: false } },
});
server.on('request', provider.callback());
const post = async (path, form) => (await fetch(issuer + path, { method: 'POST', body: new URLSearchParams(form) })).json();
const begun = await post('/device/auth', { client_id: 'device', scope: 'openid' });
const answers = new Set();
for (let count = 0; count < 20; count++) {
  const { error } = await post('/token', {
    client_id: 'device',
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: begun.device_code,
  });
  answers.add(error);
}
server.closeAllConnections();
server.close();
const seen = [Object.keys(begun).sort(), [...answers], typeof errors.SlowDown];
console.log('device endpoint:', seen[0].join(', '));
console.log('20 polls:', seen[1].join(', '));
const names = ['device_code', 'expires_in', 'user_code', 'verification_uri', 'verification_uri_complete'];
const isAsSeen = JSON.stringify(seen) === JSON.stringify([names, ['authorization_pending'], 'function']);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node look.mjs 2> >(grep -v -i 'warning\|notice' >&2)
