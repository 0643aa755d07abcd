import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Environment, Me } from '#contracts/identity';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { fullNameOf } from '#kernel/text/full-name';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { sha256Hex } from '#node/system/digest';
import { authorOf, type PersonAsAuthor } from '../audit/admin-log.ts';
import type { EnvironmentRecord, IdentityRepository, MemberRecord } from '../identity/identity-repository.ts';
import { clientAddress } from '../server/client-address.ts';
import type { TokenService } from '../tokens/token-service.ts';

/** Lets a request pass only with a valid credential, and knows afterwards whose it was. */
interface Guard<Identity> {
  /** For `onRequest`: runs before a body is read. Rejects with `REQUEST_UNAUTHENTICATED`. */
  readonly check: (request: FastifyRequest) => Promise<void>;
  /** Who sent a request that passed. */
  readonly of: (request: FastifyRequest) => Identity;
}

export interface SignedInUser {
  readonly user: MemberRecord;
  /** The environment that the header `service-environment` names; without it, the one the token was made for. */
  readonly environment: EnvironmentRecord;
  /** The token of the request is no sign-in: it was printed from one. */
  readonly isPrinted: boolean;
  /** The same person, as the log of changes names them. */
  readonly author: PersonAsAuthor;
}

export interface Guards {
  /** Header `service-secret-key`. */
  readonly environment: Guard<EnvironmentRecord>;
  /** The same secret as `Authorization: Bearer`, where a standard says so. */
  readonly registration: Guard<EnvironmentRecord>;
  /** Header `Authorization: Bearer`. */
  readonly user: Guard<SignedInUser>;
}

/** Looks up the environment of a secret. */
export type ResolveEnvironment = (secret: string) => Promise<EnvironmentRecord | undefined>;

export function resolveKnownEnvironment(identity: IdentityRepository): ResolveEnvironment {
  return (secret) => identity.findEnvironmentBySecret(sha256Hex(secret));
}

export function createGuards(identity: IdentityRepository, tokens: TokenService, resolve: ResolveEnvironment): Guards {
  const environmentOf = async (secret: unknown) => {
    const environment = typeof secret === 'string' ? await resolve(secret) : undefined;
    if (environment) return environment;
    throw unauthenticated('No environment has the secret the request was sent with.', 'SERVICE_ENV_SECRET');
  };
  return {
    environment: createGuard((request) => environmentOf(request.headers['service-secret-key'])),
    registration: createGuard((request) => environmentOf(bearerOf(request))),
    user: createGuard(async (request) => {
      const token = bearerOf(request);
      if (token === undefined) throw unauthenticated('The request carries no bearer token.', 'SERVICE_AUTH_TOKEN');
      const { userId, environmentId, isReadOnly, isPrinted } = await tokens.verify(token);
      if (isReadOnly && !onlyReads(request)) throw readOnly();
      const own = await identity.findEnvironment(environmentId);
      const user = own && (await identity.findMember(own.projectId, userId));
      if (!user) throw unauthenticated('The token belongs to nobody any more.', 'SERVICE_AUTH_TOKEN');
      const wanted = request.headers['service-environment'];
      const environment = wanted === undefined ? own : await environmentNamed(identity, own, String(wanted));
      return { user, environment, isPrinted, author: authorOf(user, clientAddress(request)) };
    }),
  };
}

/** An environment of a project. Rejects with `REQUEST_NOT_FOUND`. */
export async function environmentNamed(
  identity: Pick<IdentityRepository, 'listEnvironments'>,
  { projectId, projectName }: Pick<EnvironmentRecord, 'projectId' | 'projectName'>,
  name: string,
): Promise<EnvironmentRecord> {
  const all = await identity.listEnvironments(projectId);
  const found = all.find((environment) => environment.name === name);
  if (found) return found;
  const names = all.map((environment) => environment.name);
  throw cloudError(
    'REQUEST_NOT_FOUND',
    `The project "${projectName}" has no environment "${name}".${didYouMean(nearestName(name, names))}`,
    `Name one of: ${names.join(', ')}.`,
  );
}

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** The configuration of a route that reads although its method says otherwise, because its question has a body. */
export const readingRoute = { isReading: true } as const;

function onlyReads({ method, routeOptions }: FastifyRequest): boolean {
  return readingMethods.has(method) || Reflect.get(routeOptions.config, 'isReading') === true;
}

function readOnly(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'The token of the request only reads.',
    'Print one without --read-only, or use your sign-in.',
  );
}

export function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

function createGuard<Identity extends object>(
  identify: (request: FastifyRequest) => Promise<Identity>,
): Guard<Identity> {
  const known = new WeakMap<FastifyRequest, Identity>();
  return {
    check: async (request) => {
      known.set(request, await identify(request));
    },
    of: (request) => {
      const identity = known.get(request);
      if (!identity) throw cloudError('INTERNAL_BUG', 'A route asks who sent a request that was never checked.');
      return identity;
    },
  };
}

function unauthenticated(message: string, variable: string): CloudError {
  return cloudError('REQUEST_UNAUTHENTICATED', message, `Set ${variable} to a value of this platform.`);
}

/** Who one is: `/agent/environment` for an agent, `/api/me` for a person. */
export function registerIdentityRoutes(server: FastifyInstance, guards: Guards, identity: IdentityRepository): void {
  server.get('/agent/environment', { onRequest: guards.environment.check }, async (request): Promise<Environment> => {
    const environment = guards.environment.of(request);
    const { name, type, apiEndpoint } = environment;
    return { data: { id: String(environment.id), attributes: { name, type, api_endpoint: apiEndpoint } } };
  });

  server.get('/api/me', { onRequest: guards.user.check }, async (request): Promise<Me> => {
    const { user, environment } = guards.user.of(request);
    const rendering = await identity.findRenderingOfTeam(environment.id, user.team);
    return {
      user: { id: user.id, name: fullNameOf(user), email: user.email },
      team: user.team,
      renderingId: rendering?.id ?? null,
      project: environment.projectName,
      projectId: environment.projectId,
      environment: environment.name,
    };
  });
}
