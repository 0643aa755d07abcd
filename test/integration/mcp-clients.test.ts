import { describe, expect, it } from 'vitest';
import { renderConnectedClients, renderRevokedClient } from '#cli/rendering/render-mcp';
import { createTerminal } from '#cli/terminal/terminal';
import { type McpClientList, mcpClientListSchema } from '#contracts/mcp-clients';
import { listConnectedClients, revokeClient } from '#flows/mcp/connected-clients';
import { processEnvironment } from '#node/environment/process-environment';
import { flowContext } from '../helpers/flow-context.ts';
import {
  connectClient,
  refreshForm,
  requestToken,
  startMcpServer,
  useMcpPlatform,
} from '../helpers/mcp-authorization.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

const platform = useMcpPlatform();

async function call(method: string, path: string, token = platform().access.userToken, body?: object) {
  const answer = await fetch(`${platform().sandbox.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function list(token?: string): Promise<McpClientList['clients']> {
  return mcpClientListSchema.parse((await call('GET', '/api/mcp-clients', token)).body).clients;
}

/** A member of the project who is no administrator. */
async function bob() {
  const { sandbox } = platform();
  const user = { name: 'Bob', email: 'bob@example.test' };
  const access = await sandbox.provisionDevelopment({ project: 'shop', envSecret: 'c'.repeat(64), user });
  const changed = await call('PATCH', `/api/people/${access.userId}`, undefined, { level: 'user' });
  expect([changed.status, changed.body]).toMatchObject([200, { level: 'user' }]);
  return access.userToken;
}

describe('the MCP clients of an environment', () => {
  it('are listed for administrators, and for the person who let them in', async () => {
    const server = await startMcpServer(platform());
    await connectClient(server);
    const [client] = await list();
    expect(client).toMatchObject({
      name: 'Test client',
      redirectUris: ['http://127.0.0.1:41001/callback'],
      person: { id: platform().access.userId, name: 'Ada', email: 'ada@example.test' },
      scopes: ['mcp:read', 'mcp:write'],
      lastTokenAt: expect.any(String),
    });
    expect(await list(await bob())).toEqual([]);
  });

  it('are refused as soon as they are revoked, with all that they were given', async () => {
    const server = await startMcpServer(platform());
    const { client, accessToken, refreshToken } = await connectClient(server);
    const other = await connectClient(server);
    const [, connected] = await list();
    const path = `/api/mcp-clients/${connected?.id}`;
    expect((await call('DELETE', path, await bob())).status).toBe(403);
    expect(await server.tokens.verify(accessToken, server.resource)).toBeDefined();
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('DELETE', path)).status).toBe(404);
    expect(await server.tokens.verify(accessToken, server.resource)).toBeUndefined();
    expect((await requestToken(server, refreshForm(client, refreshToken))).body['error']).toBe('invalid_grant');
    expect(await server.tokens.verify(other.accessToken, server.resource)).toBeDefined();
    expect((await list()).map(({ id }) => id)).not.toContain(connected?.id);
  });
});

describe('vendor-cloud mcp clients', () => {
  it('lists the programs, and disconnects one by the part of its id that it shows', async () => {
    const { sandbox, access } = platform();
    const server = await startMcpServer(platform());
    const { accessToken } = await connectClient(server);
    const folder = await temporaryFolder();
    await writeFiles(folder, { 'vendor-cloud.json': '{"name":"shop","dataSources":{}}', 'src/index.ts': '' });
    const variables = { SERVICE_SERVER_URL: sandbox.url, SERVICE_AUTH_TOKEN: access.userToken };
    const context = { ...flowContext(folder), variables };
    const target = { folder, environment: undefined };
    const terminal = createTerminal(processEnvironment, { isJson: false, hasColor: false });
    const shown = renderConnectedClients(await listConnectedClients(context, target), terminal);
    expect(shown.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^ID +PROGRAM +FOR +LAST TOKEN +MAY$/),
      expect.stringMatching(/^[0-9a-f]{12} {2}Test client +ada@example\.test +.*read write$/),
    ]);
    const [id = ''] = shown.split('\n')[1]?.split(' ') ?? [];
    const asked: unknown[] = [];
    const revokeFirst = (isWanted: boolean) =>
      revokeClient(context, { ...target, id, confirm: async (client) => Boolean(asked.push(client)) && isWanted });
    expect(renderRevokedClient(await revokeFirst(false), terminal)).toBe('Nothing was changed.');
    expect(await server.tokens.verify(accessToken, server.resource)).toBeDefined();
    const revoked = await revokeFirst(true);
    expect(renderRevokedClient(revoked, terminal)).toBe('✔ Test client is no longer connected to development.');
    expect(await server.tokens.verify(accessToken, server.resource)).toBeUndefined();
    await expect(revokeFirst(true)).rejects.toMatchObject({
      code: 'REQUEST_NOT_FOUND',
      nextSteps: ['List them: vendor-cloud mcp clients list --env development'],
    });
    expect(asked).toMatchObject([{ name: 'Test client' }, { name: 'Test client' }]);
  });
});
