import { expect, it } from 'vitest';
import { toolNames } from '#contracts/mcp';
import { agentWorkerData } from '#flows/project-agent/agent-worker-data';
import { flowContext } from '../../../helpers/flow-context.ts';

const port = { port: 0, isExact: false };

function dataWith(variables: Readonly<Record<string, string>>) {
  const context = { ...flowContext('/project'), variables };
  const platform = { url: 'http://127.0.0.1:3310', envSecret: 'e'.repeat(64), identity: {} as never };
  return agentWorkerData(context, { root: '/project', dataSources: {} }, platform, { agent: port, mcp: port });
}

it('the environment says which tools the MCP server of a session has, whether they may write, and when reports are written', () => {
  expect(dataWith({})).toMatchObject({ mcpTools: toolNames, mcpReadOnly: false, durableWrites: true });
  const restricted = { SERVICE_MCP_ENABLED_TOOLS: 'list, create', SERVICE_MCP_READ_ONLY: 'true' };
  expect(dataWith(restricted)).toMatchObject({ mcpTools: ['list', 'create'], mcpReadOnly: true });
  expect(dataWith({ SERVICE_DURABLE_WRITES: 'false' })).toMatchObject({ durableWrites: false });
  expect(() => dataWith({ SERVICE_DURABLE_WRITES: 'no' })).toThrow('SERVICE_DURABLE_WRITES');
  expect(() => dataWith({ SERVICE_MCP_READ_ONLY: 'ture' })).toThrow('SERVICE_MCP_READ_ONLY');
});
