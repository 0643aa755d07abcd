import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { variables } from '#kernel/environment/variables';
import { startShopAgent } from '../helpers/shop-agent.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');
const page = await readFile(path.resolve(import.meta.dirname, '../../docs/mcp.md'), 'utf8');
const start = page.indexOf('## Clients');
const clients = page.slice(start, page.indexOf('\n## ', start));
const project = '/home/ada/shop';

/** The settings of the page that name a program, as JSON or TOML. */
const programs = [...clients.matchAll(/"?command"?\s*[:=]\s*("[^"]+"),?\s*"?args"?\s*[:=]\s*(\[[^\]]+\])/g)].map(
  ([, command = '', words = '']) => [JSON.parse(command), ...JSON.parse(words)] as string[],
);
/** Those that name an address. */
const addresses = [...clients.matchAll(/http:\/\/[^\s"`]+/g)].map(([address]) => address);

it('the page has settings for every client', () => {
  for (const name of ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code', 'Codex', 'MCP Inspector']) {
    expect(clients).toContain(`**${name}**`);
  }
  expect(programs).toHaveLength(2);
  expect(addresses).toHaveLength(5);
});

it('the addresses of the page are where dev serves, and lead a client to the sign-in', async () => {
  const { mcpUrl } = await startShopAgent();
  for (const address of addresses) {
    const { port, pathname, hostname } = new URL(address);
    expect({ port, hostname }).toEqual({ port: variables.MCP_SERVER_PORT.default, hostname: '127.0.0.1' });
    const answer = await fetch(new URL(pathname, mcpUrl), { method: 'POST' });
    expect(answer.status).toBe(401);
    const metadata = /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    expect(await (await fetch(metadata)).json()).toMatchObject({ resource: mcpUrl });
  }
});

it.each(programs.map((words) => [words.join(' '), words] as const))('%s serves a client', async (_line, words) => {
  const [npx, name, ...parameters] = words;
  expect([npx, name]).toEqual(['npx', 'vendor-cloud']);
  const root = await createShopProject();
  const given = parameters.map((word) => (word === project ? root : word));
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({ command: process.execPath, args: [bin, ...given], stderr: 'ignore' });
  await client.connect(transport);
  try {
    const counted = await client.callTool({
      name: 'aggregate',
      arguments: { collectionName: 'orders', groupBy: [{ field: 'status' }] },
    });
    expect(counted.isError).not.toBe(true);
    expect(JSON.stringify(counted.structuredContent)).toContain('shipped');
  } finally {
    await client.close();
  }
});
