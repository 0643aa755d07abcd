import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { MCP_URL, MCP_TOKEN } = process.env;
const client = new Client({ name: 'tried', version: '1' });
const headers = { authorization: `Bearer ${MCP_TOKEN}` };
await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit: { headers } }));
const { tools } = await client.listTools();
const read = await client.callTool({ name: 'list', arguments: { collectionName: 'customers', fields: ['name'] } });
const failed = await client.callTool({ name: 'list', arguments: { collectionName: 'nowhere' } });
console.log(JSON.stringify({ tools: tools.length, read: read.content, failed: failed.isError === true }));
await client.close();
