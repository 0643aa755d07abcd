import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

const { MCP_URL, MCP_TOKEN } = process.env;
const file = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
const { bin } = createRequire(import.meta.url)('@modelcontextprotocol/inspector/package.json');
const program = path.join(path.dirname(file), typeof bin === 'string' ? bin : Object.values(bin)[0]);
const ask = (...words) =>
  spawnSync(
    process.execPath,
    [program, '--cli', MCP_URL, '--transport', 'http', '--header', `Authorization: Bearer ${MCP_TOKEN}`, ...words],
    { encoding: 'utf8' },
  );
const { tools } = JSON.parse(ask('--method', 'tools/list').stdout);
const call = (collection, ...more) =>
  ask('--method', 'tools/call', '--tool-name', 'list', '--tool-arg', `collectionName=${collection}`, ...more);
const read = call('customers', '--tool-arg', 'fields=["name"]').stdout;
console.log(JSON.stringify({ tools: tools.length, read, failed: call('nowhere').status !== 0 }));
