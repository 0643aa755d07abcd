#!/usr/bin/env bash
# Claude Code 2.1: where a server offers client ID metadata documents, it never registers, also where the server cannot read documents.
#
# Guess: registration (RFC 7591) is what every client falls back to, so that offering documents as well harms nobody: a server on a
# machine without a network answers `invalid_client`, and the client registers.
# Seen (2.1.197): with `client_id_metadata_document_supported: true` it opens the browser with the id
# https://claude.ai/oauth/claude-code-client-metadata at once, and asks for no registration, before or after the refusal, which only the
# browser sees. Whether it connects depends on whether the server reaches claude.ai. With `false` it registers, and its id is the server's.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @anthropic-ai/claude-code@2.1.197
node node_modules/@anthropic-ai/claude-code/install.cjs
cat > run.mjs <<'JS'
import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';

const claude = `${process.cwd()}/node_modules/.bin/claude`;
console.log(execFileSync(claude, ['--version'], { encoding: 'utf8' }).trim());

/** A server of MCP that nobody has a token for, and its authorization server. */
async function connectTo(isOffered) {
  const asked = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://127.0.0.1');
    const origin = `http://127.0.0.1:${server.address().port}`;
    asked.push(pathname);
    const send = (status, body, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    request.resume();
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return send(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (pathname.startsWith('/.well-known/oauth-authorization-server'))
      return send(200, {
        issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`, response_types_supported: ['code'], grant_types_supported: ['authorization_code'],
        token_endpoint_auth_methods_supported: ['none'], code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: isOffered,
      });
    if (pathname === '/register')
      return send(201, { client_id: 'registered', redirect_uris: ['http://localhost/callback'], token_endpoint_auth_method: 'none' });
    // What a server without a network answers to an id that is an address.
    if (pathname === '/authorize') return send(400, { error: 'invalid_client' });
    if (pathname === '/mcp')
      return send(401, { error: 'invalid_token' }, { 'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"` });
    return send(404, {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = { ...process.env, HOME: mkdtempSync(`${process.cwd()}/home-`), BROWSER: '/bin/true', COLUMNS: '2000' };
  execFileSync(claude, ['mcp', 'add', '--transport', 'http', 'shop', `http://127.0.0.1:${server.address().port}/mcp`], { env, stdio: 'ignore' });
  // It signs in at a terminal only, which must be wide enough for the address.
  const login = spawn('script', ['-qfec', `stty cols 2000; exec "${claude}" mcp login shop --no-browser`, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  let screen = '';
  login.stdout.setEncoding('utf8').on('data', (text) => { screen += text; });
  const address = await (async () => {
    for (;;) {
      const found = /http:\/\/127\.0\.0\.1:\d+\/authorize\?[\w%.=&+~-]+/.exec(screen.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, ''));
      if (found) return found[0];
      if (login.exitCode !== null) throw new Error(`It ended: ${screen}`);
      await once(login.stdout, 'data');
    }
  })();
  const refused = await fetch(address, { redirect: 'manual' });
  await new Promise((resolve) => setTimeout(resolve, 5000));
  // Ctrl-C ends it as a person does, so that nothing of it writes any more.
  login.stdin.write('\u0003');
  if (login.exitCode === null) await once(login, 'exit');
  server.closeAllConnections();
  server.close();
  return [new URL(address).searchParams.get('client_id'), refused.status, asked.filter((path) => path === '/register').length];
}

const seen = { 'documents offered': await connectTo(true), 'not offered': await connectTo(false) };
console.log(seen);
const expected = [['https://claude.ai/oauth/claude-code-client-metadata', 400, 0], ['registered', 400, 1]];
const isAsSeen = JSON.stringify(Object.values(seen)) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
timeout 120 node run.mjs
