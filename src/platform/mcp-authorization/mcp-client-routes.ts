import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { changeMcpClientSchema, clientInWords, type McpClient, type McpClientList } from '#contracts/mcp-clients';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { fullNameOf } from '#kernel/text/full-name';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import type { AdminLog } from '../audit/admin-log.ts';
import { endMcpGrant } from '../mcp-grants/ended-grants.ts';
import { findGrants, type GrantRecord } from '../mcp-grants/find-grants.ts';
import { setGrantRights } from '../mcp-grants/grant-rights.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';

const clientPath = z.strictObject({ id: z.string() });
const noQuery = z.strictObject({});

/** The routes of `#contracts/mcp-clients`: one's own, and everybody's for who may manage MCP clients. */
export function registerMcpClientRoutes(
  server: FastifyInstance,
  guards: Guards,
  store: Store,
  { clock, adminLog }: { readonly clock: Clock; readonly adminLog: AdminLog },
): void {
  const onRequest = guards.user.check;
  server.get('/api/mcp-clients', { onRequest }, async (request): Promise<McpClientList> => {
    parseInput(noQuery, request.query);
    const { user, environment } = guards.user.of(request);
    const personId = user.permissionLevel === 'admin' ? undefined : user.id;
    const grants = await findGrants(store.db, { environmentId: environment.id, personId }, clock.now());
    return { clients: grants.map(clientOf) };
  });
  server.patch('/api/mcp-clients/:id', { onRequest }, async (request): Promise<McpClient> => {
    const by = guards.user.of(request);
    const { id } = parseInput(clientPath, request.params);
    const { countsAs, rights } = parseInput(changeMcpClientSchema, request.body);
    const [grant] = await findGrants(store.db, { id, environmentId: by.environment.id }, clock.now());
    if (!grant) throw absent(by.environment.name);
    if (grant.user.id !== by.user.id || countsAs !== undefined) authorise(by, 'manage MCP clients');
    const changed = {
      countsAs: countsAs === undefined ? grant.countsAs : countsAs,
      rights: rights === undefined ? grant.rights : rights,
    };
    const { author } = by;
    await store.transaction((transaction) => setGrantRights(transaction, grant, changed, { adminLog, author }));
    return clientOf({ ...grant, ...changed });
  });
  server.delete('/api/mcp-clients/:id', { onRequest }, async (request, reply) => {
    const by = guards.user.of(request);
    const { id } = parseInput(clientPath, request.params);
    const [grant] = await findGrants(store.db, { id, environmentId: by.environment.id }, clock.now());
    if (!grant) throw absent(by.environment.name);
    if (grant.user.id !== by.user.id) authorise(by, 'manage MCP clients');
    const end = { adminLog, author: by.author, clock };
    await store.transaction((transaction) => endMcpGrant(transaction, by.environment.id, id, end));
    return reply.code(204).send();
  });
}

function clientOf({ id, client, user, scopes, countsAs, rights, ...times }: GrantRecord): McpClient {
  const { createdAt, lastTokenAt, expiresAt } = times;
  return {
    id,
    clientId: client.id,
    name: client.name,
    redirectUris: [...client.redirectUris],
    person: { id: user.id, name: fullNameOf(user), email: user.email },
    scopes: [...scopes],
    countsAs,
    rights,
    inWords: [...clientInWords({ countsAs, rights })],
    createdAt: new Date(createdAt).toISOString(),
    lastTokenAt: lastTokenAt === null ? null : new Date(lastTokenAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

function absent(environment: string): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `The environment "${environment}" has no such MCP client, or it has been revoked.`,
    `List them: vendor-cloud mcp clients list --env ${environment}`,
  );
}
