import { MCPServerStreamableHttp } from '@openai/agents-core';

const { MCP_URL, MCP_TOKEN } = process.env;
const headers = { Authorization: `Bearer ${MCP_TOKEN}` };
const server = new MCPServerStreamableHttp({ url: MCP_URL, name: 'shop', requestInit: { headers } });
await server.connect();
const tools = await server.listTools();
const read = await server.callTool('list', { collectionName: 'customers', fields: ['name'] });
const answer = await server
  .callTool('list', { collectionName: 'nowhere' })
  .catch((error) => ({ isError: true, error }));
console.log(JSON.stringify({ tools: tools.length, read, failed: answer.isError === true }));
await server.close();
