import { MCPClient } from '@mastra/mcp';

const { MCP_URL, MCP_TOKEN } = process.env;
const headers = { Authorization: `Bearer ${MCP_TOKEN}` };
const client = new MCPClient({ servers: { shop: { url: new URL(MCP_URL), requestInit: { headers } } } });
const tools = await client.listTools();
const read = await tools.shop_list.execute({ collectionName: 'customers', fields: ['name'] }, {});
const answer = await tools.shop_list.execute({ collectionName: 'nowhere' }, {}).catch(() => ({ isError: true }));
console.log(
  JSON.stringify({
    tools: Object.keys(tools).length,
    read,
    failed: answer?.isError === true || /There is no collection/.test(JSON.stringify(answer)),
  }),
);
await client.disconnect();
