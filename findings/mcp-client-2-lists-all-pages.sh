#!/usr/bin/env bash
# @modelcontextprotocol/client 2.4: `listTools()` without a cursor asks for every page; the client of SDK 1 gave the first page.
#
# Guess: without a cursor both give the first page, with its `nextCursor`, as the protocol says of `tools/list`.
# Seen (client 2.4.0, server 2.4.0, sdk 1.32.2): with a server of three pages, SDK 1 answers one tool and `nextCursor: "1"` after one request.
# The client of 2 answers three tools without `nextCursor` after three requests. A loop over `nextCursor` still ends, since there is none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/sdk@1.32.2
export PATH="$folder/node_modules/node/bin:$PATH"
cat > server.mjs <<'JS'
// A server of three pages over stdio, written by hand: what it is asked is all that counts.
import { createInterface } from 'node:readline';
let listed = 0;
const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'pages', version: '1.0.0' } });
  else if (method === 'tools/list') {
    listed++;
    const page = Number(params?.cursor ?? 0);
    const tools = [{ name: `tool-${page}`, description: `asked ${listed} times`, inputSchema: { type: 'object' } }];
    answer(id, page < 2 ? { tools, nextCursor: String(page + 1) } : { tools });
  } else if (id !== undefined) answer(id, {});
}
JS
cat > look.mjs <<'JS'
import * as modern from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
const server = { command: process.execPath, args: ['server.mjs'] };
const seen = [];
for (const [client, transport] of [
  [new Client({ name: 'one', version: '1.0.0' }), new StdioClientTransport(server)],
  [new modern.Client({ name: 'two', version: '1.0.0' }), new ModernTransport(server)],
]) {
  await client.connect(transport);
  const { tools, nextCursor } = await client.listTools();
  seen.push([tools.map(({ name }) => name), tools.at(-1).description, nextCursor ?? null]);
  await client.close();
}
console.log('SDK 1:', JSON.stringify(seen[0]));
console.log('client 2:', JSON.stringify(seen[1]));
const expected = [
  [['tool-0'], 'asked 1 times', '1'],
  [['tool-0', 'tool-1', 'tool-2'], 'asked 3 times', null],
];
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node look.mjs
