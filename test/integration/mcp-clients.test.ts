import { describe, expect, it } from 'vitest';
import { type McpClientList, mcpClientListSchema } from '#contracts/mcp-clients';
import {
  connectClient,
  refreshForm,
  requestToken,
  startMcpServer,
  useMcpPlatform,
} from '../helpers/mcp-authorization.ts';

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
