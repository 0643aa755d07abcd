import { describe, expect, it } from 'vitest';
import { renderConnectedClients, renderRevokedClient } from '#cli/rendering/render-mcp';
import { createTerminal } from '#cli/terminal/terminal';
import { clientPermissionsSchema } from '#contracts/client-permissions';
import { type McpClientList, mcpClientListSchema } from '#contracts/mcp-clients';
import { changeClient, listConnectedClients, revokeClient } from '#flows/mcp/connected-clients';
import { processEnvironment } from '#node/environment/process-environment';
import { createBrowser } from '../helpers/browser.ts';
import { flowContext } from '../helpers/flow-context.ts';
import {
  answerConsent,
  authorizationUrl,
  codeForm,
  connectClient,
  envSecret,
  openConsent,
  refreshForm,
  registerClient,
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

/** A member of the project who is not an administrator. */
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

describe('the rights of an MCP client', () => {
  const documents = async () =>
    clientPermissionsSchema.parse(
      await (
        await fetch(`${platform().sandbox.url}/agent/v1/permissions/clients`, {
          headers: { 'service-secret-key': envSecret },
        })
      ).json(),
    );

  it('are narrowed by the person who agrees, and stay so until somebody changes them', async () => {
    const server = await startMcpServer(platform());
    const client = await registerClient(server);
    const browser = createBrowser();
    const page = await openConsent(browser, platform(), authorizationUrl(server, client));
    expect(page.html).toContain('name="collection" value="orders"');
    const answer = await answerConsent(browser, page, 'allow', ['mcp:read'], {
      collection: 'orders',
      recordsPerCall: '20',
      writesPerHour: '0',
    });
    const { accessToken } = await requestToken(server, codeForm(client, answer));
    const { caller } = (await server.tokens.verify(accessToken, server.resource)) ?? {};
    expect(caller?.client).toMatchObject({ id: client.id, name: 'Test client' });
    const { grants } = await documents();
    const own = grants.find(({ id }) => id === caller?.client?.grant);
    expect(own?.rights).toMatchObject({ recordsPerCall: 20, writesPerHour: 0 });
    expect(Object.keys(own?.rights?.collections ?? {})).toEqual(['orders']);

    const changed = await call('PATCH', `/api/mcp-clients/${own?.id}`, undefined, {
      rights: { tools: ['list'] },
      countsAs: 'reporting',
    });
    expect(changed.body).toMatchObject({ clientId: client.id, countsAs: 'reporting', rights: { tools: ['list'] } });
    expect(changed.body.inWords).toEqual([
      'It counts as the client "reporting"',
      'It may do what its person may',
      'It may use the tools list',
    ]);
    expect((await documents()).grants).toContainEqual({
      id: own?.id,
      countsAs: 'reporting',
      rights: { tools: ['list'] },
    });
    // Whoever is not an administrator changes what they let in themselves, and never which client of the rights it counts as.
    expect((await call('PATCH', `/api/mcp-clients/${own?.id}`, await bob(), { rights: null })).status).toBe(403);
    expect((await call('DELETE', `/api/mcp-clients/${own?.id}`)).status).toBe(204);
    expect((await documents()).grants.map(({ id }) => id)).not.toContain(own?.id);
  });

  it('are refused where the person chooses what they do not see, or no number', async () => {
    const server = await startMcpServer(platform());
    const client = await registerClient(server);
    const browser = createBrowser();
    const page = await openConsent(browser, platform(), authorizationUrl(server, client));
    const wrong = [{ collection: 'secrets' }, { recordsPerCall: '0' }, { writesPerHour: 'many' }];
    for (const choice of wrong) {
      await expect(answerConsent(browser, page, 'allow', ['mcp:read'], choice)).rejects.toThrow('422');
    }
  });

  it('change from the terminal, which says what the client may do before and afterwards', async () => {
    const { sandbox, access } = platform();
    const server = await startMcpServer(platform());
    await connectClient(server);
    const folder = await temporaryFolder();
    await writeFiles(folder, { 'vendor-cloud.json': '{"name":"shop","dataSources":{}}', 'src/index.ts': '' });
    const variables = { SERVICE_SERVER_URL: sandbox.url, SERVICE_AUTH_TOKEN: access.userToken };
    const context = { ...flowContext(folder), variables };
    const [newest] = await list();
    const limits = {
      collections: 'orders',
      isReadOnly: true,
      tools: 'list',
      recordsPerCall: 5,
      writesPerHour: undefined,
    };
    const input = { folder, environment: undefined, id: newest?.id.slice(0, 12) ?? '', countsAs: undefined };
    const change = (given: Partial<Parameters<typeof changeClient>[1]>) =>
      changeClient(context, { ...input, limits, isUnlimited: false, confirm: async () => true, ...given });
    expect((await change({})).after).toEqual([
      'It may browse "orders"',
      'It may read "orders"',
      'It may use the tools list',
      'It may use 5 records a call',
    ]);
    expect((await list())[0]?.rights).toMatchObject({ tools: ['list'], recordsPerCall: 5 });
    const none = {
      collections: undefined,
      isReadOnly: false,
      tools: undefined,
      recordsPerCall: undefined,
      writesPerHour: undefined,
    };
    expect(await change({ limits: none, isUnlimited: true })).toMatchObject({ after: [], isChanged: true });
    expect((await list())[0]?.rights).toBeNull();
    await expect(change({ limits: none })).rejects.toMatchObject({ code: 'USAGE_INVALID' });
    await expect(change({ limits: { ...none, tools: 'lst' } })).rejects.toThrow('the nearest one is "list"');
  });
});
