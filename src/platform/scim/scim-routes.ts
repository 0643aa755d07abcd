import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { scimPath } from '#contracts/scim-tokens';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import { bearerOf, type Guards } from '../access/guards.ts';
import type { AdminLog } from '../audit/admin-log.ts';
import { createGroupRepository, type GroupRepository, registerGroupRoutes } from '../groups/group-repository.ts';
import { clientAddress } from '../server/client-address.ts';
import { cloudErrorOf } from '../server/error-mapper.ts';
import type { Store } from '../store/store.ts';
import { largestBody, runBulk } from './bulk.ts';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts';
import { scimError, scimErrorBody } from './scim-errors.ts';
import { createScimGroups, type ScimGroups } from './scim-groups.ts';
import { groupKind, type ScimKind, userKind } from './scim-kinds.ts';
import { readQuery, readSearch, type ScimQuery } from './scim-query.ts';
import { type Projection, project, type Resource } from './scim-resources.ts';
import { createScimTokens, type KnownScimToken, registerScimTokenRoutes, type ScimTokens } from './scim-tokens.ts';
import { createScimUsers, type ScimPlace, type ScimUsers } from './scim-users.ts';

const mediaType = 'application/scim+json';

interface ScimServices {
  readonly tokens: ScimTokens;
  readonly users: ScimUsers;
  readonly groups: ScimGroups;
  readonly logger: Logger;
  /** What addresses of the platform begin with, once it listens. */
  readonly origin: () => string;
}

/** SCIM 2.0 (RFC 7643 and 7644): a company provisions the people and groups of the project that its token belongs to. */
function registerScim(server: FastifyInstance, services: ScimServices): void {
  const { tokens, users, groups, logger, origin } = services;
  const known = new WeakMap<FastifyRequest, KnownScimToken>();
  server.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      ['application/scim+json', 'application/json'],
      { parseAs: 'string', bodyLimit: largestBody },
      (_request, body, done) => {
        try {
          done(null, body === '' ? undefined : JSON.parse(String(body)));
        } catch (error) {
          done(scimError('invalidSyntax', 'The body is not JSON.', 'Send a resource as JSON.', error));
        }
      },
    );
    const refuse = async (request: FastifyRequest, thrown: unknown) => {
      const error = cloudErrorOf(thrown);
      const refusal = scimErrorBody(error);
      const token = known.get(request);
      if (refusal.status >= 500) logger.log('Error', 'SCIM failed.', { error });
      if (token && error.code === 'LAST_ADMINISTRATOR_STAYS') {
        logger.log('Warn', 'SCIM was stopped at the last administrator.', { token: token.id, reason: error.message });
        await tokens.noteRefusal(token.id, error.message);
      }
      return refusal;
    };
    own.setErrorHandler(async (thrown, request, reply) => {
      const { status, body } = await refuse(request, thrown);
      return reply.code(status).type(mediaType).send(body);
    });
    own.addHook('onRequest', async (request) => {
      const secret = bearerOf(request);
      const token = secret === undefined ? undefined : await tokens.use(secret);
      if (!token) throw unauthenticated();
      known.set(request, token);
    });
    const placeOf = (request: FastifyRequest): ScimPlace => {
      const token = known.get(request);
      if (!token) throw unauthenticated();
      return { ...token, author: { initiator: 'identityProvider', address: clientAddress(request) } };
    };
    registerDiscovery(own, origin);
    const kinds = [userKind(users, origin), groupKind(groups, origin)];
    for (const kind of kinds) registerKind(own, kind, { kinds, placeOf });
    registerSearchOfAll(own, { kinds, placeOf });
    own.post(`${scimPath}/Bulk`, async (request, reply) => {
      const parts = { kinds, place: placeOf(request), refuse: (thrown: unknown) => refuse(request, thrown) };
      return reply.type(mediaType).send(await runBulk(parts, request.body));
    });
    own.all(`${scimPath}/*`, async () => {
      throw cloudError('REQUEST_NOT_FOUND', 'SCIM has no such route here.', `Use ${scimPath}/Users and …/Groups.`);
    });
  });
}

function registerDiscovery(server: FastifyInstance, origin: () => string): void {
  const listOf = (all: readonly object[]) => page(all, { total: all.length, startIndex: 1 });
  server.get(`${scimPath}/ServiceProviderConfig`, async (_request, reply) =>
    reply.type(mediaType).send(serviceProviderConfig(origin())),
  );
  for (const [name, all] of [
    ['ResourceTypes', resourceTypes],
    ['Schemas', schemas],
  ] as const) {
    server.get(`${scimPath}/${name}`, async (_request, reply) => reply.type(mediaType).send(listOf(all(origin()))));
    server.get(`${scimPath}/${name}/:id`, async (request, reply) => {
      const { id } = request.params as { readonly id: string };
      const found = all(origin()).find((each) => each.id === id);
      if (found) return reply.type(mediaType).send(found);
      throw cloudError('REQUEST_NOT_FOUND', `There is no "${id}" among the ${name}.`, `List them: ${scimPath}/${name}`);
    });
  }
}

interface ScimContext {
  readonly kinds: readonly ScimKind[];
  readonly placeOf: (request: FastifyRequest) => ScimPlace;
}

/** What a client does with each kind of resource. */
function registerKind(server: FastifyInstance, kind: ScimKind, { placeOf }: ScimContext): void {
  const path = `${scimPath}/${kind.name}s`;
  const list = async (request: FastifyRequest, reply: FastifyReply, query: ScimQuery) => {
    const { total, found } = await kind.search(placeOf(request), query, false);
    return reply.type(mediaType).send(page(found, { total, startIndex: query.startIndex }));
  };
  const projectionFor = ({ query }: FastifyRequest) => readQuery(query).projection;
  server.get(path, (request, reply) => list(request, reply, readQuery(request.query)));
  server.post(`${path}/.search`, (request, reply) => list(request, reply, readSearch(request.body)));
  server.get(`${path}/:id`, async (request, reply) => {
    const projection = projectionFor(request);
    const resource = await kind.get(placeOf(request), idOf(request), projection);
    const { version } = resource.meta;
    if (version !== undefined && request.headers['if-none-match'] === version) return reply.code(304).send();
    return send(reply, resource, projection);
  });
  server.post(path, async (request, reply) => {
    const projection = projectionFor(request);
    const resource = await kind.create(placeOf(request), request.body);
    return send(reply.code(201).header('location', resource.meta.location), resource, projection);
  });
  for (const [method, change] of [
    ['PUT', kind.replace],
    ['PATCH', kind.patch],
  ] as const) {
    server.route({
      method,
      url: `${path}/:id`,
      handler: async (request, reply) => {
        const projection = projectionFor(request);
        const changed = await change(placeOf(request), { ...targetOf(request), body: request.body });
        return send(reply, changed, projection);
      },
    });
  }
  server.delete(`${path}/:id`, async (request, reply) => {
    await kind.remove(placeOf(request), targetOf(request));
    return reply.code(204).send();
  });
}

/** Find users and groups in one list: users come first. */
function registerSearchOfAll(server: FastifyInstance, { kinds, placeOf }: ScimContext): void {
  server.post(`${scimPath}/.search`, async (request, reply) => {
    const { startIndex, count, ...query } = readSearch(request.body);
    if (query.sort) {
      throw scimError('invalidValue', 'A list of users and groups is not sorted.', 'Search /Users or /Groups.');
    }
    const all: object[] = [];
    let total = 0;
    for (const kind of kinds) {
      const place = { startIndex: Math.max(1, startIndex - total), count: count - all.length };
      const of = await kind.search(placeOf(request), { ...query, ...place }, true);
      all.push(...of.found);
      total += of.total;
    }
    return reply.type(mediaType).send(page(all, { total, startIndex }));
  });
}

function idOf({ params }: FastifyRequest): string {
  return (params as { readonly id: string }).id;
}

function targetOf(request: FastifyRequest) {
  return { id: idOf(request), wantedVersion: request.headers['if-match'] };
}

function send(reply: FastifyReply, resource: Resource, projection: Projection) {
  const { version } = resource.meta;
  if (version !== undefined) reply.header('etag', version);
  return reply.type(mediaType).send(project(resource, projection));
}

function page(resources: readonly object[], { total, startIndex }: { total: number; startIndex: number }) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

function unauthenticated(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'The request carries no SCIM token of this platform, or it was revoked.',
    'Make one: vendor-cloud scim create <name> --role <role>',
  );
}

export interface ProvisioningServices {
  readonly adminLog: AdminLog;
  /** What addresses of the platform begin with, once it listens. */
  readonly origin: () => string;
}

export interface ProvisioningOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What a company says of its people: groups, and SCIM. */
export function registerProvisioning(
  server: FastifyInstance,
  store: Store,
  guards: Guards,
  { adminLog, origin }: ProvisioningServices,
  { clock, random, logger }: ProvisioningOptions,
): { readonly groups: GroupRepository } {
  const parts = { store, clock, adminLog, logger };
  const groups = createGroupRepository(store, parts);
  registerGroupRoutes(server, guards, groups);
  const tokens = createScimTokens({ store, clock, random, adminLog });
  registerScimTokenRoutes(server, guards, tokens, origin);
  const [users, scimGroups] = [createScimUsers(parts), createScimGroups(parts)];
  registerScim(server, { tokens, users, groups: scimGroups, logger, origin });
  return { groups };
}
