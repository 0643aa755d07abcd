import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../customizer/caller.ts';
import type { QueryParameters } from '../request/query-parameters.ts';
import { parseTimezone } from '../request/timezone.ts';
import { factsOf, type RequestFacts } from './begin-request.ts';
import type { RouteCall } from './call/route.ts';
import type { RestServerOptions } from './rest-server-options.ts';

interface BegunCall extends Pick<RequestFacts, 'deadline' | 'claims'> {
  readonly call: RouteCall;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** A request as routes see it, and what is asked of it beside them. */
export function callOf(request: FastifyRequest, options: RestServerOptions): BegunCall {
  const own = factsOf(request);
  if (!own?.inUse) throw new TypeError('A request was routed before it was begun.');
  const { claims, abort, deadline } = own;
  const query = request.query as QueryParameters;
  const call: RouteCall = {
    params: request.params as Readonly<Record<string, string>>,
    query,
    headers: request.headers,
    body: request.body ?? {},
    state: own.inUse.state,
    prefix: options.prefix,
    exportLimit: options.exportLimit,
    signIn: options.signIn,
    isSecure: isSecure(request),
    context: (defaultTimezone) => {
      if (!claims) throw new TypeError('A public route asked who calls.');
      const timezone = parseTimezone(query['timezone'] ?? defaultTimezone);
      const caller = { ...claims, timezone, requestId: request.id, ...shownPlace(request), ...addressOf(request) };
      return { caller, signal: abort.signal };
    },
  };
  return { call, signal: abort.signal, deadline, claims };
}

function isSecure({ raw, headers }: FastifyRequest): boolean {
  const isTls = 'encrypted' in raw.socket && raw.socket.encrypted === true;
  return isTls || headers['x-forwarded-proto'] === 'https';
}

/** The names that the address of the page of a client begins with: `https://host/<project>/<environment>/…`. */
function shownPlace({ headers }: FastifyRequest): Pick<Caller, 'project' | 'environment'> {
  const sent = headers['service-context-url'];
  const path = typeof sent === 'string' ? URL.parse(sent)?.pathname : undefined;
  const [project, environment] = path?.split('/').slice(1, 3).map(decodedPart) ?? [];
  return project && environment ? { project, environment } : {};
}

function decodedPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // A name that nobody can read is none.
    return undefined;
  }
}

function addressOf({ raw }: FastifyRequest): Pick<Caller, 'request'> {
  const { remoteAddress: ip } = raw.socket;
  return ip === undefined ? {} : { request: { ip } };
}
