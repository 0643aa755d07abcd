import { MultiServerMCPClient } from '@langchain/mcp-adapters';

const { MCP_URL, MCP_TOKEN } = process.env;
const headers = { Authorization: `Bearer ${MCP_TOKEN}` };
const client = new MultiServerMCPClient({ mcpServers: { shop: { transport: 'http', url: MCP_URL, headers } } });
const tools = await client.getTools();
const list = tools.find(({ name }) => name === 'list');
const read = await list.invoke({ collectionName: 'customers', fields: ['name'] });
const failed = await list.invoke({ collectionName: 'nowhere' }).then(
  () => false,
  () => true,
);
console.log(JSON.stringify({ tools: tools.length, read, failed }));
await client.close();
