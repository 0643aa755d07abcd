import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { scimPath } from '#contracts/scim-tokens';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import { bearerOf, type Guards } from '../access/guards.ts';
import type { AdminLog } from '../audit/admin-log.ts';
import { createGroupRepository, type GroupRepository, registerGroupRoutes } from '../groups/group-repository.ts';
import { clientAddress } from '../server/client-address.ts';
import { cloudErrorOf } from '../server/error-mapper.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';
import { mostOfPage, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts';
import { preparePatch, readGroup, readUser } from './read-resource.ts';
import { scimError, scimErrorBody } from './scim-errors.ts';
import { readFilter } from './scim-filter.ts';
import { createScimGroups, groupAttributes, type ScimGroups } from './scim-groups.ts';
import {
  groupResource,
  type Projection,
  project,
  projectionOf,
  type Resource,
  userResource,
} from './scim-resources.ts';
import { createScimTokens, type KnownScimToken, registerScimTokenRoutes, type ScimTokens } from './scim-tokens.ts';
import { createScimUsers, noSuchResource, type ScimPlace, type ScimUsers, userAttributes } from './scim-users.ts';

const mediaType = 'application/scim+json';
const bodyLimit = 1024 * 1024;

interface ScimServices {
  readonly tokens: ScimTokens;
  readonly users: ScimUsers;
  readonly groups: ScimGroups;
  readonly logger: Logger;
  /** What addresses of the platform begin with, once it listens. */
  readonly origin: () => string;
}

const index = z.coerce.number().int().catch(1);
const querySchema = z.object({
  filter: z.string().max(2000).optional(),
  startIndex: index.optional(),
  count: index.optional(),
  attributes: z.string().max(2000).optional(),
  excludedAttributes: z.string().max(2000).optional(),
});

/** SCIM 2.0 (RFC 7643 and 7644): a company provisions the people and groups of the project that its token belongs to. */
function registerScim(server: FastifyInstance, services: ScimServices): void {
  const { tokens, logger, origin } = services;
  const known = new WeakMap<FastifyRequest, KnownScimToken>();
  server.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      ['application/scim+json', 'application/json'],
      { parseAs: 'string', bodyLimit },
      (_request, body, done) => {
        try {
          done(null, body === '' ? undefined : JSON.parse(String(body)));
        } catch (error) {
          done(scimError('invalidSyntax', 'The body is no JSON.', 'Send a resource as JSON.', error));
        }
      },
    );
    own.setErrorHandler(async (thrown, request, reply) => {
      const error = cloudErrorOf(thrown);
      const { status, body } = scimErrorBody(error);
      const token = known.get(request);
      if (status >= 500) logger.log('Error', 'SCIM failed.', { error });
      if (token && error.code === 'LAST_ADMINISTRATOR_STAYS') {
        logger.log('Warn', 'SCIM was stopped at the last administrator.', { token: token.id, reason: error.message });
        await tokens.noteRefusal(token.id, error.message);
      }
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
    registerUsers(own, services, placeOf);
    registerGroups(own, services, placeOf);
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

type PlaceOf = (request: FastifyRequest) => ScimPlace;

/** What users and groups have in common on the wire. */
interface Kind<Wanted> {
  readonly name: 'User' | 'Group';
  list(place: ScimPlace, query: Query): Promise<{ readonly total: number; readonly found: readonly Resource[] }>;
  find(place: ScimPlace, id: number, projection?: Projection): Promise<Resource | undefined>;
  read(body: unknown): Wanted;
  create(place: ScimPlace, wanted: Wanted): Promise<Resource>;
  replace(place: ScimPlace, id: number, want: (before: Resource) => MaybePromise<Wanted>): Promise<Resource>;
  remove(place: ScimPlace, id: number): Promise<void>;
}

interface Query {
  readonly filter: string | undefined;
  readonly startIndex: number;
  readonly count: number;
  readonly projection: Projection;
}

function registerUsers(server: FastifyInstance, { users, origin }: ScimServices, placeOf: PlaceOf): void {
  registerKind(server, placeOf, {
    name: 'User',
    list: async ({ projectId }, { filter, ...query }) => {
      const { total, found } = await users.list(projectId, await readFilter(filter, userAttributes), query);
      return { total, found: found.map((user) => userResource(user, origin())) };
    },
    find: async ({ projectId }, id) => {
      const user = await users.find(projectId, id);
      return user && userResource(user, origin());
    },
    read: readUser,
    create: async (place, wanted) => userResource(await users.create(place, wanted), origin()),
    replace: async (place, id, want) => {
      const user = await users.replace(place, id, (before) => want(userResource(before, origin())));
      return userResource(user, origin());
    },
    remove: (place, id) => users.remove(place, id),
  });
}

function registerGroups(server: FastifyInstance, { groups, origin }: ScimServices, placeOf: PlaceOf): void {
  const hasMembers = ({ attributes, excluded }: Projection = { attributes: [], excluded: [] }) =>
    attributes.length > 0 ? attributes.includes('members') : !excluded.includes('members');
  registerKind(server, placeOf, {
    name: 'Group',
    list: async ({ projectId }, { filter, projection, ...query }) => {
      const conditions = await readFilter(filter, groupAttributes);
      const { total, found } = await groups.list(projectId, conditions, query, hasMembers(projection));
      return { total, found: found.map((group) => groupResource(group, origin())) };
    },
    find: async ({ projectId }, id, projection) => {
      const group = await groups.find(projectId, id, hasMembers(projection));
      return group && groupResource(group, origin());
    },
    read: readGroup,
    create: async (place, wanted) => groupResource(await groups.create(place, wanted), origin()),
    replace: async (place, id, want) => {
      const group = await groups.replace(place, id, (before) => want(groupResource(before, origin())));
      return groupResource(group, origin());
    },
    remove: (place, id) => groups.remove(place, id),
  });
}

function registerKind<Wanted>(server: FastifyInstance, placeOf: PlaceOf, kind: Kind<Wanted>): void {
  const path = `${scimPath}/${kind.name}s`;
  const found = async (request: FastifyRequest, projection?: Projection): Promise<Resource> => {
    const { id } = request.params as { readonly id: string };
    const resource = /^\d{1,15}$/.test(id) ? await kind.find(placeOf(request), Number(id), projection) : undefined;
    if (resource) return resource;
    throw noSuchResource(kind.name === 'User' ? 'user' : 'group', id);
  };
  server.get(path, async (request, reply) => {
    const query = queryOf(request);
    const { total, found: all } = await kind.list(placeOf(request), query);
    const resources = all.map((resource) => project(resource, query.projection));
    return reply.type(mediaType).send(page(resources, { total, startIndex: query.startIndex }));
  });
  server.get(`${path}/:id`, async (request, reply) => {
    const { projection } = queryOf(request);
    const resource = await found(request, projection);
    if (request.headers['if-none-match'] === resource.meta.version) return reply.code(304).send();
    return send(reply, project(resource, projection));
  });
  server.post(path, async (request, reply) => {
    const resource = await kind.create(placeOf(request), kind.read(request.body));
    return send(reply.code(201).header('location', resource.meta.location), resource);
  });
  server.put(`${path}/:id`, async (request, reply) => {
    const { id } = await found(request);
    const wanted = kind.read(request.body);
    const replaced = await kind.replace(placeOf(request), Number(id), (before) => {
      refuseChanged(request, before);
      return wanted;
    });
    return send(reply, replaced);
  });
  server.patch(`${path}/:id`, async (request, reply) => {
    const { id } = await found(request);
    const patch = await preparePatch(kind.name, request.body);
    const replaced = await kind.replace(placeOf(request), Number(id), async (before) => {
      refuseChanged(request, before);
      return kind.read(await patch(before));
    });
    return send(reply, replaced);
  });
  server.delete(`${path}/:id`, async (request, reply) => {
    const before = await found(request);
    refuseChanged(request, before);
    await kind.remove(placeOf(request), Number(before.id));
    return reply.code(204).send();
  });
}

function send(reply: FastifyReply, resource: Resource) {
  return reply.type(mediaType).header('etag', resource.meta.version).send(resource);
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

/** A place before the first one counts as the first one, and a negative count as 0 (RFC 7644, 3.4.2.4). */
function queryOf(request: FastifyRequest): Query {
  const {
    filter,
    startIndex = 1,
    count = mostOfPage,
    attributes,
    excludedAttributes,
  } = parseInput(querySchema, request.query);
  return {
    filter,
    startIndex: Math.max(1, startIndex),
    count: Math.min(Math.max(0, count), mostOfPage),
    projection: projectionOf(attributes, excludedAttributes),
  };
}

function refuseChanged({ headers }: FastifyRequest, { meta }: Resource): void {
  const wanted = headers['if-match'];
  if (wanted === undefined || wanted === '*' || wanted === meta.version) return;
  throw cloudError(
    'PRECONDITION_FAILED',
    'The resource is not what "If-Match" says: somebody changed it.',
    'Read it again.',
  );
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
