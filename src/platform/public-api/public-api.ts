import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ApiScope, expiresSoonMs } from '#contracts/api-tokens';
import { consoleApiPath } from '#contracts/console';
import { type Caller, callerSchema } from '#contracts/public-api/caller';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import type { ApiCaller, Authenticate, AuthenticatePage, KnownCaller } from './authenticate.ts';
import { createFailureCount, type RateLimitService, rateLimited, rateLimitHeaders } from './rate-limit-service.ts';

/** One route of the public API. */
interface PublicRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /**
   * Below `/v1`. The parameter `:projectName` must be the project of the caller, and `:environmentName` one of its environments:
   * everything else is answered with 404 before `handle` is called.
   */
  readonly path: `/${string}`;
  /** What a token must have. `undefined`: every token will do. */
  readonly scope: ApiScope | undefined;
  /** Units of the quota that a call uses up. Default 1. */
  readonly cost?: 0 | 1;
  /** Whether pages of the console may call it too, below `consoleApiPath`. Default: no. */
  readonly isForPages?: boolean;
  /** What it resolves to is the answer. */
  readonly handle: (call: ApiCall, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** A call that passed every check. */
export interface ApiCall {
  readonly caller: ApiCaller;
  /** The environment in the path. Throws where the path has none. */
  readonly environment: EnvironmentRecord;
  /**
   * Charge the caller for work that goes on, such as the next 5,000 rows of an export. Resolves to whether there was quota for it;
   * else nothing is charged.
   */
  charge(cost: number): Promise<boolean>;
  /** Whether the call would still be let in: a token may be revoked, or its creator lose their right, while an export runs. */
  isStillAllowed(): Promise<boolean>;
}

/** Takes routes until the server is ready. */
export interface PublicApi {
  add(route: PublicRoute): void;
}

export interface PublicApiParts {
  readonly authenticate: Authenticate;
  readonly authenticatePage: AuthenticatePage;
  readonly identity: IdentityRepository;
  readonly limits: RateLimitService;
  readonly clock: Clock;
}

/**
 * The front door of `/v1`. A call is let in if all of this holds, in this order. The token is known and valid, and there is
 * quota for it. Its owner is an administrator and its address is allowed. Project and environment are the caller's, and the
 * scope is there.
 */
export function publicApi(server: FastifyInstance, parts: PublicApiParts): PublicApi {
  const routes: PublicRoute[] = [];
  mountRoutes(server, '/v1', () => routes, createAdmission(parts));
  mountRoutes(server, consoleApiPath, () => routes.filter(({ isForPages }) => isForPages), createPageAdmission(parts));
  return { add: (route) => void routes.push(route) };
}

/** @param routesOf asked when the server is ready, and all routes are known. */
function mountRoutes(
  server: FastifyInstance,
  prefix: string,
  routesOf: () => readonly PublicRoute[],
  admit: Admit,
): void {
  server.register(
    async (own) => {
      const calls = new WeakMap<FastifyRequest, ApiCall>();
      for (const route of routesOf()) {
        own.route({
          method: route.method,
          url: route.path,
          onRequest: async (request, reply) => {
            calls.set(request, await admit(route, request, reply));
          },
          handler: (request, reply) => route.handle(calls.get(request) as ApiCall, request, reply),
        });
      }
    },
    { prefix },
  );
}

type Admit = (route: PublicRoute, request: FastifyRequest, reply: FastifyReply) => Promise<ApiCall>;

function createAdmission({ authenticate, identity, limits, clock }: PublicApiParts): Admit {
  const countFailure = createFailureCount(clock);
  const identify = async (request: FastifyRequest): Promise<KnownCaller> => {
    try {
      return await authenticate(request);
    } catch (error) {
      if (isUnauthenticated(error)) countFailure(request.ip);
      throw error;
    }
  };

  return async (route, request, reply) => {
    reply.headers({ 'cache-control': 'private, no-store', vary: 'Authorization, Accept' });
    const known = await identify(request);
    const { caller, expiresAt } = known;
    const quota = await (route.cost === 0 ? limits.look(caller.subject) : limits.take(caller.subject, 1));
    const now = clock.now();
    reply.headers(rateLimitHeaders(quota, now));
    if (expiresAt !== null && expiresAt - now <= expiresSoonMs) {
      reply.header('x-service-token-expires', new Date(expiresAt).toISOString());
    }
    if (!quota.isTaken) throw rateLimited(quota);
    known.checkMayCall();
    const environment = await placeInPath(caller, request, identity);
    if (route.scope !== undefined) requireScope(caller, route.scope);
    return createCall(caller, environment, {
      charge: async (cost) => (await limits.take(caller.subject, cost)).isTaken,
      checkMayCall: async () => (await authenticate(request)).checkMayCall(),
    });
  };
}

/** Pages call as a person who has signed in in the browser. Like the rest of what people call, that has no quota. */
function createPageAdmission({ authenticatePage, identity }: PublicApiParts): Admit {
  return async (route, request, reply) => {
    reply.headers({ 'cache-control': 'private, no-store' });
    const caller = await authenticatePage(request, reply);
    const environment = await placeInPath(caller, request, identity);
    if (route.scope !== undefined) requireScope(caller, route.scope);
    return createCall(caller, environment, {
      charge: async () => true,
      checkMayCall: async () => void (await authenticatePage(request, reply)),
    });
  };
}

interface CallRules extends Pick<ApiCall, 'charge'> {
  /** Rejects where the call would not be let in now. */
  checkMayCall(): Promise<void>;
}

function createCall(
  caller: ApiCaller,
  environment: EnvironmentRecord | undefined,
  { charge, checkMayCall }: CallRules,
): ApiCall {
  return {
    caller,
    get environment() {
      if (environment) return environment;
      throw cloudError('INTERNAL_BUG', 'A route without an environment asks for it.');
    },
    charge,
    isStillAllowed: async () => {
      try {
        await checkMayCall();
        return true;
      } catch (error) {
        if (isCloudError(error) && error.kind === 'user') return false;
        throw error;
      }
    },
  };
}

/**
 * The environment in the path of a request. Names are compared with their capital letters. A project or an environment that is not
 * there and one that the caller may not see are the same `REQUEST_NOT_FOUND`.
 */
async function placeInPath(
  { project }: ApiCaller,
  request: FastifyRequest,
  identity: IdentityRepository,
): Promise<EnvironmentRecord | undefined> {
  const { projectName, environmentName } = request.params as Readonly<Record<string, string | undefined>>;
  if (projectName !== undefined && !isSameName(projectName, project.name)) throw noSuchPlace();
  if (environmentName === undefined) return undefined;
  const environments = await identity.listEnvironments(project.id);
  const found = environments.find(({ name }) => isSameName(name, environmentName));
  if (!found) throw noSuchPlace();
  return found;
}

/** Letters that can be written in several ways in Unicode are the same letters. */
function isSameName(one: string, other: string): boolean {
  return one.normalize() === other.normalize();
}

function requireScope({ scopes }: ApiCaller, scope: ApiScope): void {
  if (scopes.has(scope)) return;
  throw cloudError(
    'API_TOKEN_SCOPE_MISSING',
    `The token does not have the scope "${scope}".`,
    'Create a token with this scope.',
    { safeDetails: { scope } },
  );
}

function isUnauthenticated(error: unknown): boolean {
  return isCloudError(error) && (error.code === 'API_TOKEN_INVALID' || error.code === 'API_TOKEN_EXPIRED');
}

function noSuchPlace(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'The token gives access to no such project or environment.',
    'Check the names in the address: capital letters count.',
  );
}

/** `GET /v1/caller`: a client that has a token alone learns here where it may look. */
export function addCallerRoute(api: PublicApi, identity: Pick<IdentityRepository, 'listEnvironments'>): void {
  api.add({
    method: 'GET',
    path: '/caller',
    scope: undefined,
    handle: async ({ caller }): Promise<Caller> => {
      const environments = await identity.listEnvironments(caller.project.id);
      const development = environments.find(({ type }) => type === 'development') ?? environments[0];
      return callerSchema.parse({
        object: 'caller',
        project: caller.project.name,
        environments: environments.map(({ name }) => name),
        environment: development?.name ?? null,
        scopes: [...caller.scopes],
      });
    },
  });
}
