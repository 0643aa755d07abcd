import type { FastifyReply, FastifyRequest } from 'fastify';
import { impersonationHeader } from '#contracts/impersonations';
import { shareAnswers } from '#kernel/async/shared-answers';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { sha256Hex } from '#node/system/digest';
import { authorOf, type PersonAsAuthor } from '../audit/admin-log.ts';
import type { EnvironmentRecord, IdentityRepository, MemberRecord } from '../identity/identity-repository.ts';
import { type FindPageSession, isOfPage, type PageSession, requireOwnPage } from '../page-access/page-session.ts';
import { clientAddress } from '../server/client-address.ts';
import { readAccountId } from '../tokens/account-id.ts';
import type { TokenService } from '../tokens/token-service.ts';

/** Lets a request pass only with a valid credential, and knows afterwards whose it was. */
interface Guard<Identity> {
  /** For `onRequest`: runs before a body is read. Rejects with `REQUEST_UNAUTHENTICATED`. */
  readonly check: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Who sent a request that passed. */
  readonly of: (request: FastifyRequest) => Identity;
}

/** What a person came with. */
type Credential =
  /** A printed token is not a sign-in: it was made from one. */
  | { readonly kind: 'token' | 'printed token'; readonly token: string }
  /** The cookie of a browser, sent by a page of the platform. */
  | { readonly kind: 'browser'; readonly session: PageSession };

export interface SignedInUser {
  /** Whose rights count. With an impersonation it is the person whose view is shown. */
  readonly user: MemberRecord;
  /** The environment that the header `service-environment` names. Without it, the one the token was made for, or the first. */
  readonly environment: EnvironmentRecord;
  readonly credential: Credential;
  /** The same person, as the log of changes names them. */
  readonly author: PersonAsAuthor;
  /** When they signed in, in milliseconds since the epoch; `undefined` for a token that was printed. */
  readonly signedInAt: number | undefined;
  readonly hasSecondFactor: boolean;
  /** Who sees what the person sees; `undefined` where they come themselves. */
  readonly impersonation?: ImpersonationInUse | undefined;
}

export interface ImpersonationInUse {
  readonly id: string;
  /** Who sent the request, and is its author. */
  readonly by: MemberRecord;
  readonly user: MemberRecord;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The impersonation with an id that somebody began in a session; `undefined` for one that has ended, or that they may not have any more. */
export type FindImpersonation = (
  id: string,
  by: { readonly member: MemberRecord; readonly projectId: number; readonly sessionId: string },
) => Promise<ImpersonationInUse | undefined>;

export interface Guards {
  /** Header `service-secret-key`. */
  readonly environment: Guard<EnvironmentRecord>;
  /** The same secret as `Authorization: Bearer`, where a standard says so. */
  readonly registration: Guard<EnvironmentRecord>;
  /** Header `Authorization: Bearer`, or the session of a browser where a page of the platform sends the request. */
  readonly user: Guard<SignedInUser>;
}

/** Looks up the environment of a secret. */
export type ResolveEnvironment = (secret: string) => Promise<EnvironmentRecord | undefined>;

export function resolveKnownEnvironment(identity: IdentityRepository): ResolveEnvironment {
  // A thousand agents that acknowledge one event ask the store a few times.
  const find = shareAnswers((secretHash) => identity.findEnvironmentBySecret(secretHash));
  return (secret) => find(sha256Hex(secret));
}

export interface GuardParts {
  readonly identity: IdentityRepository;
  readonly tokens: TokenService;
  readonly findPageSession: FindPageSession;
  readonly findImpersonation: FindImpersonation;
  readonly resolveEnvironment: ResolveEnvironment;
  /** Note that somebody uses a session now, by the id that it has in `GET /api/sessions`. */
  readonly noteUse: (sessionId: string) => void;
}

export function createGuards(parts: GuardParts): Guards {
  const { identity, tokens, findPageSession, resolveEnvironment, noteUse } = parts;
  const environmentOf = async (secret: unknown) => {
    const environment = typeof secret === 'string' ? await resolveEnvironment(secret) : undefined;
    if (environment) return environment;
    throw unauthenticated('No environment has the secret the request was sent with.', 'SERVICE_ENV_SECRET');
  };
  const byToken = async (request: FastifyRequest, token: string): Promise<Arrival> => {
    const { id, userId, environmentId, isReadOnly, isPrinted, hasSecondFactor, createdAt } = await tokens.verify(token);
    noteUse(`token-${id}`);
    if (isReadOnly && !onlyReads(request)) throw readOnly();
    const own = await identity.findEnvironment(environmentId);
    const user = own && (await identity.findMember(own.projectId, userId));
    if (!user) throw unauthenticated('The token belongs to nobody any more.', 'SERVICE_AUTH_TOKEN');
    const signedInAt = isPrinted ? undefined : createdAt;
    const credential = { kind: isPrinted ? 'printed token' : 'token', token } as const;
    return { user, own, credential, signedInAt, hasSecondFactor };
  };
  const byPage = async (request: FastifyRequest, reply: FastifyReply): Promise<Arrival> => {
    requireOwnPage(request);
    const session = await findPageSession(request, reply);
    if (!session) throw nobodySignedIn();
    noteUse(`sign-in-${session.id}`);
    const place = await placeOfPage(identity, session, request.headers['service-project']);
    const { hasSecondFactor = false } = readAccountId(session.accountId);
    return { ...place, credential: { kind: 'browser', session }, signedInAt: session.signedInAt, hasSecondFactor };
  };
  return {
    environment: createGuard((request) => environmentOf(request.headers['service-secret-key'])),
    registration: createGuard((request) => environmentOf(bearerOf(request))),
    user: createGuard(async (request, reply) => {
      const token = bearerOf(request);
      if (token === undefined && !isOfPage(request)) {
        throw unauthenticated('The request carries no bearer token.', 'SERVICE_AUTH_TOKEN');
      }
      const { own, ...arrival } = await (token === undefined ? byPage(request, reply) : byToken(request, token));
      const wanted = request.headers['service-environment'];
      const environment = wanted === undefined ? own : await environmentNamed(identity, own, String(wanted));
      const impersonation = await impersonationOf(request, { ...arrival, own }, parts);
      const author = authorOf(arrival.user, clientAddress(request));
      return { ...arrival, user: impersonation?.user ?? arrival.user, environment, author, impersonation };
    }),
  };
}

/** Who came, and the environment where they are without naming one. */
interface Arrival extends Omit<SignedInUser, 'environment' | 'author'> {
  readonly own: EnvironmentRecord;
}

/** The configuration of a route that pages ask while they show what somebody else sees. No other answers them. */
export const impersonableRoute = { isImpersonable: true } as const;

/** Rejects with `IMPERSONATION_ENDED` or `IMPERSONATION_READS_ONLY`. */
async function impersonationOf(
  { headers, routeOptions }: FastifyRequest,
  { user: member, credential, own: { projectId } }: Arrival,
  { findImpersonation }: Pick<GuardParts, 'findImpersonation'>,
): Promise<ImpersonationInUse | undefined> {
  const id = headers[impersonationHeader];
  if (id === undefined) return undefined;
  if (credential.kind !== 'browser' || Reflect.get(routeOptions.config, 'isImpersonable') !== true) {
    throw cloudError(
      'IMPERSONATION_READS_ONLY',
      'You see the console as somebody else: the platform changes nothing, and shows nothing of its own.',
      'Go back to your own view first.',
    );
  }
  const found = await findImpersonation(String(id), { member, projectId, sessionId: credential.session.id });
  if (found) return found;
  throw cloudError('IMPERSONATION_ENDED', 'You do not see the console as somebody else any more.', [
    'End that view.',
    'To see it again, open the form of the person.',
  ]);
}

/** The project that a page names by its id, else the first of the person. */
async function placeOfPage(
  identity: IdentityRepository,
  { userId, projectId: only }: PageSession,
  named: string | readonly string[] | undefined,
): Promise<Pick<Arrival, 'user' | 'own'>> {
  const projects = (await identity.listProjects(userId)).filter(({ id }) => only === undefined || id === only);
  const project = named === undefined ? projects[0] : projects.find(({ id }) => String(id) === named);
  const user = project && (await identity.findMember(project.id, userId));
  if (!user) {
    throw cloudError(
      'REQUEST_FORBIDDEN',
      named === undefined
        ? 'You are a member of no project.'
        : 'You are not a member of the project that the page names.',
      'Ask an administrator for an invitation.',
    );
  }
  return { user, own: await usualEnvironment(identity, project) };
}

/** Where somebody works who names no environment: on development, else on the first. Rejects with `REQUEST_CONFLICT` where there is none. */
export async function usualEnvironment(
  identity: Pick<IdentityRepository, 'listEnvironments'>,
  { id, name }: { readonly id: number; readonly name: string },
): Promise<EnvironmentRecord> {
  const environments = await identity.listEnvironments(id);
  const found = environments.find(({ type }) => type === 'development') ?? environments[0];
  if (found) return found;
  throw cloudError(
    'REQUEST_CONFLICT',
    `The project "${name}" has no environment yet.`,
    'Ask an administrator of the project to make one.',
  );
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
  identify: (request: FastifyRequest, reply: FastifyReply) => Promise<Identity>,
): Guard<Identity> {
  const known = new WeakMap<FastifyRequest, Identity>();
  return {
    check: async (request, reply) => {
      known.set(request, await identify(request, reply));
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

function nobodySignedIn(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'Nobody is signed in to the platform in this browser, or the sign-in is over.',
    'Sign in: /console/sign-in',
  );
}
