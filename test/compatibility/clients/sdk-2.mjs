import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const { MCP_URL, MCP_TOKEN } = process.env;
const client = new Client({ name: 'tried', version: '1' }, { versionNegotiation: { mode: 'auto' } });
const headers = { authorization: `Bearer ${MCP_TOKEN}` };
await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit: { headers } }));
const { tools } = await client.listTools();
const read = await client.callTool({ name: 'list', arguments: { collectionName: 'customers', fields: ['name'] } });
const failed = await client.callTool({ name: 'list', arguments: { collectionName: 'nowhere' } });
console.log(JSON.stringify({ tools: tools.length, read: read.content, failed: failed.isError === true }));
await client.close();
