#!/usr/bin/env bash
# @modelcontextprotocol/sdk 1.32: `callTool` checks the `structuredContent` of an error result against the output schema, and throws where it does not fit.
#
# Guess: a result with `isError: true` is handed over as it is, because the output schema describes what a tool gives when it works. A server may put its error
# into `structuredContent`, beside the text.
# Seen (sdk 1.32.2, client 2.4.0): SDK 1 throws `McpError -32602 Structured content does not match the tool's output schema`, so that nobody reads the error of the server.
# The client of 2 hands the result over. Without `structuredContent` both hand the error over.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/sdk@1.32.2
export PATH="$folder/node_modules/node/bin:$PATH"
cat > server.mjs <<'JS'
// A server over stdio, written by hand: one tool, which answers that it failed, with and without a structured form.
import { createInterface } from 'node:readline';
const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
const outputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'errors', version: '1.0.0' } });
  else if (method === 'tools/list') answer(id, { tools: [{ name: 'count', inputSchema: { type: 'object' }, outputSchema }] });
  else if (method === 'tools/call') {
    const error = { code: 'NOT_ALLOWED', message: 'Ask the person first.' };
    const isStructured = params.arguments.structured === true;
    const content = [{ type: 'text', text: JSON.stringify({ error }) }];
    answer(id, { content, isError: true, ...(isStructured ? { structuredContent: { error } } : {}) });
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
  await client.listTools();
  for (const structured of [false, true]) {
    const call = client.callTool({ name: 'count', arguments: { structured } });
    const said = await call.then(({ content }) => content[0].text, (error) => `threw ${error.code}: ${error.message}`);
    seen.push(said.includes('Ask the person first.') ? 'the error of the server' : said.split('\n')[0]);
  }
  await client.close();
}
console.log('SDK 1, text only:', seen[0]);
console.log('SDK 1, text and structured:', seen[1]);
console.log('client 2, text only:', seen[2]);
console.log('client 2, text and structured:', seen[3]);
const [first, second, third, fourth] = seen;
const own = 'the error of the server';
const isAsSeen = first === own && third === own && fourth === own && /^threw -32602: .*does not match the tool's output schema/.test(second);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node look.mjs
