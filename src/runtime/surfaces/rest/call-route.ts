import type { IncomingHttpHeaders } from 'node:http';
import { finished, Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { activityTypes } from '#contracts/activity';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import type { ActReporter, ActRequest, EndAct } from '../../activity/act-reporter.ts';
import type { Caller } from '../../customizer/caller.ts';
import type { ReadSession } from '../../data-sources/interface/read-session.ts';
import { type CompiledCollection, findCollection, type ModelView } from '../../model/compiled-model.ts';
import type { WriteNotes } from '../../records/calls/call-context.ts';
import type { AgentState } from '../request/agent-state.ts';
import { isForwarded } from '../request/ip-filter.ts';
import { publicErrorsOf } from '../request/public-error.ts';
import { parseTimezone, type QueryParameters } from '../request/query-parameters.ts';
import { cookieValue, mayUseCookie } from './call/http-headers.ts';
import { PathUnknown, type Route, type RouteAnswer, type RouteCall } from './call/route.ts';
import type { RestServerOptions } from './rest-server-options.ts';

const cookieName = 'service_session_token';

/**
 * The claims of the token that a request carries, from an address that the project allows.
 *
 * @throws `REQUEST_UNAUTHENTICATED` or `REQUEST_FORBIDDEN`.
 */
export async function identifyCaller(
  { headers, ip }: FastifyRequest,
  { tokens, ipFilter, allowedOrigins }: RestServerOptions,
): Promise<AgentTokenClaims> {
  const claims = await tokens.verify(readToken(headers, allowedOrigins));
  await ipFilter?.check(addressOf(claims, ip), claims.clientAddress !== undefined || isForwarded(headers));
  return claims;
}

/**
 * Where the client is. The token of a request that the platform forwards says it: the platform has told the agent, which signed it.
 * A header could come from anybody.
 */
function addressOf({ clientAddress }: AgentTokenClaims, ip: string): string {
  return clientAddress ?? ip;
}

/** A request, as its route sees it. */
export function callOfRequest(
  request: FastifyRequest,
  { state, served, claims, signal, endsAt, reads }: Received,
  params: RouteCall['params'],
  options: RestServerOptions,
): RouteCall {
  const { prefix, cursors, exportLimit, signIn, tokenExchange, approvals, histories, notes, insights } = options;
  if (!state || !served) throw new TypeError('A request was routed while there was nothing to serve.');
  const query = request.query as QueryParameters;
  return {
    params,
    collection: () => collectionAt(state.model, params),
    query,
    headers: request.headers,
    body: request.body ?? {},
    state,
    served,
    approvals,
    histories,
    notes,
    insights,
    prefix,
    cursors,
    webhookOrigins: options.parameters?.settings.webhookOrigins ?? [],
    exportLimit,
    signIn,
    tokenExchange,
    askMcp: async (message) => {
      if (!claims) throw new TypeError('A public route asked who calls.');
      if (claims.client) throw noPerson('Exchange its token with "audience": "mcp", and call the endpoint.');
      return options.askMcp?.(message, { claims, signal, askedAt: originHere(request) });
    },
    explainRights: async (collection) => {
      if (!claims) throw new TypeError('A public route asked who calls.');
      if (claims.client) throw noPerson('Ask `vendor-cloud permissions explain` with `--client`.');
      const { id, renderingId, role } = claims;
      return options.explainRights({ user: String(id), collection, renderingId, role });
    },
    isSecure: request.protocol === 'https',
    context: (defaultTimezone) => {
      if (!claims) throw new TypeError('A public route asked who calls.');
      const zone = query['timezone'] ?? defaultTimezone ?? options.parameters?.defaultTimezone(claims);
      const named = { ...claims, ...state.authoriser.namesOf(claims) };
      return { caller: callerOf(request, named, parseTimezone(zone)), signal, endsAt, reads };
    },
    publicErrors: (error) => publicErrorsOf(error, options, request.id),
  };
}

function noPerson(nextStep: string): CloudError {
  return cloudError('REQUEST_FORBIDDEN', 'This route is for people. A program has another way.', nextStep);
}

/** The origin of a request, where its host is this machine: from elsewhere the header proves nothing. */
function originHere({ headers, protocol }: Pick<FastifyRequest, 'headers' | 'protocol'>): string | undefined {
  const url = URL.parse(`${protocol}://${headers.host ?? ''}`);
  return url && isLoopbackHost(url.hostname) && url.pathname === '/' ? url.origin : undefined;
}

/** What is known of a request before its route is called. */
interface Received {
  /** What the caller is answered with. */
  readonly state: AgentState | undefined;
  /** What all callers share. */
  readonly served: AgentState | undefined;
  /** `undefined` on a public route. */
  readonly claims: AgentTokenClaims | undefined;
  /** Aborted when the client goes away or the time is up. */
  readonly signal: AbortSignal;
  /** When the time is up, as `performance.now()` tells it. */
  readonly endsAt: number;
  /** Of a request that only reads, where a database has replicas. */
  readonly reads: ReadSession | undefined;
}

function collectionAt(model: ModelView, { collection: name }: RouteCall['params']): CompiledCollection {
  const found = findCollection(model, name);
  if (!found) throw new PathUnknown(name);
  return found;
}

type NamedClaims = AgentTokenClaims & Pick<Caller, 'roles' | 'teams'>;

/** The caller of a request, with the origin that the request names. */
function callerOf({ headers, id, ip }: FastifyRequest, claims: NamedClaims, timezone: string): Caller {
  // The connection of a request that is injected, or gone already, has no address.
  const address: Pick<Caller, 'request'> = ip ? { request: { ip: addressOf(claims, ip) } } : {};
  return { ...claims, timezone, requestId: id, ...shownPlace(headers), ...address };
}

/** The session cookie, else `Authorization: Bearer`. */
function readToken(headers: IncomingHttpHeaders, allowedOrigins: ReadonlySet<string>): string {
  const { authorization, cookie, origin } = headers;
  const session = cookie && mayUseCookie(origin, allowedOrigins) ? cookieValue(cookie, cookieName) : undefined;
  if (session) return session;
  if (authorization === undefined) throw unauthenticated('The request has no token.');
  const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (bearer === undefined) throw unauthenticated('The Authorization header is not of the form "Bearer <token>".');
  return bearer;
}

/** The names that the address of the client's page begins with: `https://host/<project>/<environment>/…`. */
function shownPlace(headers: IncomingHttpHeaders): Pick<Caller, 'project' | 'environment'> {
  const sent = headers['service-context-url'];
  const path = typeof sent === 'string' ? URL.parse(sent)?.pathname : undefined;
  const [project, environment] = path?.split('/').slice(1, 3).map(decodedPart) ?? [];
  return project && environment ? { project, environment } : {};
}

function decodedPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // A name that cannot be decoded counts as missing.
    return undefined;
  }
}

function unauthenticated(message: string): CloudError {
  return cloudError('REQUEST_UNAUTHENTICATED', message, 'Send a valid "Authorization: Bearer" token.');
}

/** The caller and the id of a request. */
interface CallFacts {
  readonly method: string;
  readonly requestId: string;
  /** `undefined` on a public route. */
  readonly claims: AgentTokenClaims | undefined;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

const lowestErrorStatus = 400;

/**
 * Carry out a call and report it, where its route says as what. An export has succeeded once it was sent to its end; a write,
 * whatever becomes of its answer.
 *
 * @throws `ACTIVITY_NOT_RECORDED` before anything is done, for a write that must be recorded and cannot.
 */
export async function answerReported(
  route: Route,
  call: RouteCall,
  reporter: ActReporter,
  { method, requestId, claims, signal }: CallFacts,
): Promise<RouteAnswer> {
  const { activity } = route;
  // A HEAD request shows no record.
  if (!activity || !claims || method === 'HEAD') return route.answer(call);
  const by: ActRequest = { source: 'rest', claims, correlationId: requestId, model: call.state.model };
  const action = typeof activity.action === 'function' ? activity.action(call) : activity.action;
  const named = activity.recordIds?.(call);
  const act = {
    action,
    label: activity.label?.(call),
    collection: call.params['collection'],
    recordIds: named instanceof Promise ? await named : named,
  };
  const conclude = (answer: RouteAnswer, end: EndAct) => {
    const tell = () => end({ status: isSuccess(answer) ? 'completed' : 'failed', recordCount: answer.recordCount?.() });
    if (answer.body instanceof Readable && activityTypes[action] === 'read') {
      whenSent(answer.body, signal, (isWhole) => (isWhole ? tell() : end({ status: 'failed' })));
    } else tell();
  };
  const answer = (notes: WriteNotes | undefined) => route.answer(notes ? noting(call, notes) : call);
  const far = activity.farEnd?.(call);
  if (!far) return reporter.carryOut(act, by, answer, conclude);
  return reporter.carryOut(far, by, (notes) => reporter.carryOut(act, by, () => answer(notes), conclude), conclude);
}

function isSuccess({ status }: RouteAnswer): boolean {
  return status < lowestErrorStatus;
}

/** The call, with what its services change taken down. */
function noting(call: RouteCall, notes: WriteNotes): RouteCall {
  return { ...call, context: (defaultTimezone) => ({ ...call.context(defaultTimezone), notes }) };
}

/** Calls `tell` once. A reader may notice late that its client has gone. */
function whenSent(body: Readable, signal: AbortSignal, tell: (isWhole: boolean) => void): void {
  const stopWatching = finished(body, (error) => end(!error));
  const end = (isWhole: boolean) => {
    stopWatching();
    signal.removeEventListener('abort', onAbort);
    tell(isWhole);
  };
  const onAbort = () => end(false);
  signal.addEventListener('abort', onAbort, { once: true });
}
