import { createRuntime } from 'mcporter';

const { MCP_URL, MCP_TOKEN } = process.env;
const headers = { Authorization: `Bearer ${MCP_TOKEN}` };
const command = { kind: 'http', url: new URL(MCP_URL), headers };
const runtime = await createRuntime({ servers: [{ name: 'shop', command }] });
const tools = await runtime.listTools('shop');
const read = await runtime.callTool('shop', 'list', { args: { collectionName: 'customers', fields: ['name'] } });
const answer = await runtime
  .callTool('shop', 'list', { args: { collectionName: 'nowhere' } })
  .catch(() => ({ isError: true }));
console.log(JSON.stringify({ tools: tools.length, read, failed: answer.isError === true }));
await runtime.close();
