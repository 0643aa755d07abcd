import { createRequire } from 'node:module';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const { MCP_URL, MCP_TOKEN } = process.env;
const folder = path.dirname(createRequire(import.meta.url).resolve('mcp-remote/package.json'));
const client = new Client({ name: 'tried', version: '1' });
const args = [
  path.join(folder, 'dist/proxy.js'),
  MCP_URL,
  '--transport',
  'http-only',
  '--header',
  'Authorization:${AUTHORIZATION}',
];
const env = { ...process.env, AUTHORIZATION: `Bearer ${MCP_TOKEN}` };
await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
const { tools } = await client.listTools();
const read = await client.callTool({ name: 'list', arguments: { collectionName: 'customers', fields: ['name'] } });
const failed = await client.callTool({ name: 'list', arguments: { collectionName: 'nowhere' } });
console.log(JSON.stringify({ tools: tools.length, read: read.content, failed: failed.isError === true }));
await client.close();
