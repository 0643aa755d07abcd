import { createMCPClient } from '@ai-sdk/mcp';

const { MCP_URL, MCP_TOKEN } = process.env;
const headers = { Authorization: `Bearer ${MCP_TOKEN}` };
const client = await createMCPClient({ transport: { type: 'http', url: MCP_URL, headers } });
const tools = await client.tools();
const options = { toolCallId: '1', messages: [] };
const read = await tools.list.execute({ collectionName: 'customers', fields: ['name'] }, options);
const failed = await tools.list.execute({ collectionName: 'nowhere' }, options).then(
  (answer) => answer.isError === true,
  () => true,
);
console.log(JSON.stringify({ tools: Object.keys(tools).length, read, failed }));
await client.close();
