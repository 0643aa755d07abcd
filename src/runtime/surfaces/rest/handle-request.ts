import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import { requireOneHost } from '#node/http/request-guards';
import { type AgentState, type StateInUse, stateFor } from '../request/agent-state.ts';
import { requireFewRecords } from '../request/program-limits.ts';
import { type RequestReads, readPositionCookies, readPositionHeader } from '../request/read-positions.ts';
import { awaitsBody, endLateBody, readBody, UnfinishedBodies, type UnfinishedBody } from '../request/request-bodies.ts';
import {
  bodyLate,
  boundedJson,
  type Deadline,
  defaultRequestLimits,
  type RequestLimits,
  refusedLate,
  requireAwaited,
  SlowRequests,
  startDeadline,
  timedOut,
  tooManyRequests,
} from '../request/request-limits.ts';
import { type ObserveRequest, observeRequests } from '../request/telemetry.ts';
import {
  acceptedEncoding,
  answerCors,
  cookieValue,
  correlationHeader,
  type Encoding,
  requireOwnPage,
  schemaRevisionHeader,
  setCookie,
} from './call/http-headers.ts';
import { PathUnknown, type Route, type RouteAnswer, type RouteCall } from './call/route.ts';
import { answerReported, callOfRequest, identifyCaller } from './call-route.ts';
import { encodeCollectionName, tellNearestCollection } from './collection-in-path.ts';
import type { RestServerOptions } from './rest-server-options.ts';
import { recordsOfCall } from './routes/records-of-call.ts';
import { openStreamBody } from './stream-body.ts';

/** The state of a request in progress. */
interface RequestInProgress {
  readonly inUse: StateInUse | undefined;
  /** What the caller is answered with: a part of the state in use, where their role is restricted on fields. */
  state: AgentState | undefined;
  /** Aborted when the client goes away or the time is up. */
  readonly abort: AbortController;
  readonly deadline: Deadline;
  /** Until its body has arrived the request counts as waiting, and after that as in progress. */
  body: UnfinishedBody | undefined;
  isCounted: boolean;
  /** Says that the answer is there, so that the request takes none of the person's time any more. */
  answered: (() => void) | undefined;
  claims: AgentTokenClaims | undefined;
  /** Where a database has replicas. */
  reads: RequestReads | undefined;
}

const hasNoBody: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** A position never becomes wrong. A client that comes back later gets a new one. */
const positionAgeSeconds = 86_400;

/** A short text is sent as quickly as it is. */
const leastCharacters = 1_024;

const brotli = promisify<string, { params: Record<number, number> }, Buffer>(brotliCompress);

const compressBy: Readonly<Record<Encoding, (text: string) => Promise<Buffer>>> = {
  br: (text) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify<string, Buffer>(gzip),
};

/** A parameter before a suffix. Without its own pattern, the framework lets it hold neither line breaks nor slashes, which names may have. */
const beforeSuffix = /:(\w+)(?=\.)/;

const progressKey = Symbol('progress');
type ReceivedRequest = FastifyRequest & { [progressKey]: RequestInProgress | null };

/**
 * The way of a request, in order. It is received (its state acquired, its caller identified), and its body is read. A route
 * answers through the services, and the answer is sent. At its end the request releases its state and tells the log and the
 * telemetry.
 */
export class RequestHandler {
  /** Makes the correlation id of a request, which the log of the platform is searched by. */
  readonly newRequestId = (): string => this.#options.random.orderedUuid();

  /** The address to route by. */
  readonly routedUrl = ({ url = '/' }: { readonly url?: string | undefined }): string => {
    const { states, prefix } = this.#options;
    const names = states.current()?.model.namesWithSlash ?? [];
    return names.length === 0 ? url : encodeCollectionName(url, prefix, names);
  };

  readonly #options: RestServerOptions;
  readonly #limits: RequestLimits;
  readonly #observe: ObserveRequest | undefined;
  readonly #unfinishedBodies: UnfinishedBodies;
  readonly #slowRequests: SlowRequests;
  #inProgress = 0;

  constructor(options: RestServerOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultRequestLimits;
    this.#observe = observeRequests(options.telemetry, options.logger);
    this.#unfinishedBodies = new UnfinishedBodies(this.#limits);
    this.#slowRequests = options.slowRequests ?? new SlowRequests(this.#limits);
  }

  /** Have the requests of an application handled. */
  handleRequestsOf(app: FastifyInstance, routes: readonly Route[]): void {
    app.decorateRequest(progressKey, null);
    app.setReplySerializer(this.#serialise);
    app.addHook('onRequest', this.#receive);
    app.addHook('preParsing', this.#readBody);
    for (const route of routes) {
      app.route({
        method: route.method,
        url: route.path.replace(beforeSuffix, ':$1(^[\\s\\S]+)'),
        config: { isPublic: route.isPublic === true, isReading: route.isReading === true },
        handler: (request, reply) => this.#handle(route, request, reply),
      });
    }
  }

  /** Runs before the body is read. Answers requests that need no route. */
  readonly #receive = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { states, allowedOrigins } = this.#options;
    const { raw } = request;
    const inUse = states.acquire();
    const abort = new AbortController();
    const deadline = this.#startDeadline(request, reply, abort);
    const progress: RequestInProgress = {
      inUse,
      state: inUse?.state,
      abort,
      deadline,
      body: undefined,
      isCounted: false,
      answered: undefined,
      claims: undefined,
      reads: undefined,
    };
    (request as ReceivedRequest)[progressKey] = progress;
    this.#finishAtEnd(request, reply, progress);
    // Nothing ends what begins after the end.
    requireAwaited(abort.signal);

    const cors = answerCors(request.method, request.headers, allowedOrigins);
    reply.headers(cors.headers).header(correlationHeader, request.id);
    if (cors.isPreflight) return reply.code(204).send();
    requireOneHost(raw);
    requireOwnPage(raw, allowedOrigins);
    if (!hasNoBody.has(request.method) && awaitsBody(raw)) {
      progress.body = this.#unfinishedBodies.add(request.ip, (reason) => giveUp(reply, reason));
    } else this.#count(progress, reply);
    if (!inUse) {
      const absence = states.absence();
      if (absence) throw absence;
      return reply.code(200).send({ error: 'Agent is not started' });
    }
    if (!hasMark(request, 'isPublic')) {
      progress.claims = await identifyCaller(request, this.#options);
      const own = stateFor(inUse.state, progress.claims);
      progress.state = own instanceof Promise ? await own : own;
    }
    return undefined;
  };

  readonly #readBody: preParsingHookHandler = (request, _reply, payload, done) => {
    if (hasNoBody.has(request.method)) done(null, payload);
    else readBody(request, payload, done);
  };

  readonly #serialise = (payload: unknown): string => boundedJson(payload, this.#limits.maxResponseSize);

  /** Runs after the body was read. */
  async #handle(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const progress = (request as ReceivedRequest)[progressKey];
    if (!progress) throw new TypeError('A request was routed before it was received.');
    const { inUse, state, deadline, claims, abort } = progress;
    const { signal } = abort;
    progress.body?.end();
    // The client may have gone away while its token was looked at.
    requireAwaited(signal);
    if (!progress.isCounted) this.#count(progress, reply);
    if (claims) {
      const begun = refusedLate(() => this.#slowRequests.begin(claims.id, isReading(request), signal));
      progress.answered = begun instanceof Promise ? await deadline.before(begun) : begun;
    }
    const facts = { method: request.method, requestId: request.id, claims, signal };
    progress.reads = this.#readsOf(request, progress);
    const reads = isReading(request) ? progress.reads?.session : undefined;
    const received = { state, served: inUse?.state, claims, signal, endsAt: deadline.endsAt, reads };
    const callOf = (params: RouteCall['params']) => callOfRequest(request, received, params, this.#options);
    const asked = callOf(request.params as RouteCall['params']);
    if (claims) this.#checkParameters(asked, request);
    if (claims?.client) await this.#checkProgram(asked, claims, request);
    const other = route.otherwise?.(asked);
    const call = other ? callOf(other.params) : asked;
    const named = other?.route ?? route;
    const taken = claims?.readOnly && !isReading(request) ? refusing(named, onlyReads(claims)) : named;
    const answering = answerReported(taken, call, this.#options.reporter, facts);
    const reported = answering.catch(async (error: unknown) => {
      throw error instanceof PathUnknown ? await tellNearestCollection(error, call) : error;
    });
    let isRefused = true;
    const done = reported.then((answered) => {
      isRefused = false;
      return answered;
    });
    const answer = await deadline.before(done).finally(() => {
      tellSchemaRevision(progress, reply);
      this.#tellPosition(progress, request, reply, isRefused);
    });
    if (answer.body instanceof Readable) {
      if (request.method === 'HEAD') return sendHead(answer, answer.body, reply);
      const opened = openStreamBody(answer.body, signal, (error) =>
        this.#options.logger.log('Error', 'A file could not be sent to its end.', { correlationId: request.id, error }),
      );
      await deadline.before(opened);
    }
    // What somebody sends may come back in an answer. Beside the token of a sign-in, the length of that would tell the token.
    const encoding = claims && acceptedEncoding(request.headers['accept-encoding']);
    const sent = encoding ? await deadline.before(this.#compressed(answer, encoding)) : answer;
    deadline.end();
    progress.answered?.();
    return send(sent, reply);
  }

  #readsOf(request: FastifyRequest, { state, claims }: RequestInProgress): RequestReads | undefined {
    const databases = state?.model.replicated;
    if (!databases?.length || !claims) return undefined;
    const { [readPositionHeader]: header, cookie } = request.headers;
    const ofHeader = typeof header === 'string' ? header.split(',').map((token) => token.trim()) : [];
    const sent = cookie ? [...readPositionCookies.map((name) => cookieValue(cookie, name)), ...ofHeader] : ofHeader;
    const facts = { databases, personId: claims.id, sent, isReading: isReading(request), asksPrimary: false };
    return this.#options.readPositions?.begin(facts);
  }

  /** Give the client the position of what its person has written: a header for pages of other sites, cookies for all else. */
  #tellPosition({ reads }: RequestInProgress, request: FastifyRequest, reply: FastifyReply, isRefused: boolean): void {
    const told = reads?.end(isRefused ? 'uncertain' : 'done');
    if (!told) return;
    reply.header(readPositionHeader, told.token);
    const path = this.#options.prefix || '/';
    const scope = { path, isSecure: request.protocol === 'https', maxAgeSeconds: positionAgeSeconds };
    for (const name of told.cookies) reply.header('set-cookie', setCookie(name, told.token, scope));
  }

  /** An answer of JSON that is long enough, compressed; any other as it is. */
  async #compressed(answer: RouteAnswer, encoding: Encoding): Promise<RouteAnswer> {
    const { body } = answer;
    if (typeof body !== 'object' || body === null) return answer;
    if (body instanceof Readable || ArrayBuffer.isView(body)) return answer;
    const text = this.#serialise(body);
    if (text.length < leastCharacters) return answer;
    const compressed = await compressBy[encoding](text);
    const type = { 'content-type': 'application/json; charset=utf-8' };
    return { ...answer, headers: { ...type, ...answer.headers, 'content-encoding': encoding }, body: compressed };
  }

  /** @throws `REQUEST_INVALID`, `REQUEST_FORBIDDEN` or `MCP_LIMIT_REACHED` where a program asks for more than it may. */
  async #checkProgram(call: RouteCall, claims: AgentTokenClaims, request: FastifyRequest): Promise<void> {
    const limits = await call.state.authoriser.limitsOf(claims);
    const { url = '' } = request.routeOptions;
    requireFewRecords(recordsOfCall(call, url, isReading(request)), limits);
    if (!isReading(request)) this.#options.programLimits.takeWrite(claims, limits);
  }

  /** @throws `REQUEST_INVALID` for a parameter that no route knows, where a setting says so. */
  #checkParameters({ query, state }: RouteCall, { routeOptions, id: correlationId }: FastifyRequest): void {
    const { parameters, logger } = this.#options;
    const { unknownParameters = 'ignore' } = parameters?.settings ?? {};
    if (unknownParameters === 'ignore') return;
    parameters?.check(query, state.model, logger, { path: routeOptions.url ?? '', correlationId });
  }

  /** @throws `AGENT_BUSY` when too many requests are in progress. */
  #count(progress: RequestInProgress, reply: FastifyReply): void {
    const { concurrentRequests } = this.#limits;
    progress.isCounted = true;
    this.#inProgress += 1;
    if (this.#inProgress <= concurrentRequests) return;
    reply.header('retry-after', '1');
    throw tooManyRequests(concurrentRequests);
  }

  /** A route that works is reported that time is up. Until then the request is answered here, while its body or its caller is waited for. */
  #startDeadline({ raw }: FastifyRequest, reply: FastifyReply, abort: AbortController): Deadline {
    const { requestTimeoutMs } = this.#limits;
    return startDeadline(requestTimeoutMs, (isAwaited) => {
      abort.abort();
      if (!isAwaited) giveUp(reply, awaitsBody(raw) ? bodyLate(requestTimeoutMs) : timedOut(requestTimeoutMs));
    });
  }

  /** The response closes last, whether it was sent in full or the client went away. It may have closed before. */
  #finishAtEnd(request: FastifyRequest, reply: FastifyReply, progress: RequestInProgress): void {
    const { inUse, deadline, abort } = progress;
    const startedAt = performance.now();
    const route = request.routeOptions.url ?? this.#options.prefix;
    const observed = this.#observe?.({ method: request.method, route, correlationId: request.id });
    const finish = () => {
      inUse?.release();
      deadline.end();
      progress.body?.end();
      progress.answered?.();
      if (progress.isCounted) this.#inProgress -= 1;
      if (!request.raw.complete) endLateBody(request.raw);
      observed?.end(reply.statusCode, progress.reads?.session.servers());
      const durationMs = performance.now() - startedAt;
      if (reply.raw.writableFinished) logResponse(request, reply, durationMs, this.#options.logger);
      else abort.abort();
    };
    if (reply.raw.closed) finish();
    else reply.raw.once('close', finish);
  }
}

/** Say which schema the caller sees, once it is known what the caller may see. */
function tellSchemaRevision({ state, claims }: RequestInProgress, reply: FastifyReply): void {
  if (!state || !claims) return;
  const { authoriser, schemas } = state;
  const rights = authoriser.rightsAtHand(claims);
  if (rights) reply.header(schemaRevisionHeader, schemas.knownRevisions.get(rights) ?? schemas.revisionOf(rights));
}

/** Answer a request that nothing works on yet, and close its connection. */
function giveUp(reply: FastifyReply, reason: CloudError): void {
  if (reply.sent) return;
  reply.header('connection', 'close').send(reason);
}

/** Whether the route of a request is marked so. What has no route is not. */
function hasMark({ routeOptions: { config } }: FastifyRequest, mark: 'isPublic' | 'isReading'): boolean {
  return Reflect.get(config, mark) === true;
}

function isReading(request: FastifyRequest): boolean {
  return hasNoBody.has(request.method) || hasMark(request, 'isReading');
}

/** The same route, which is reported and does nothing. */
function refusing(route: Route, reason: CloudError): Route {
  return { ...route, answer: () => Promise.reject(reason) };
}

function onlyReads({ impersonator, email }: AgentTokenClaims): CloudError {
  if (impersonator) {
    return cloudError(
      'IMPERSONATION_READS_ONLY',
      `You see what ${email} sees, and change nothing.`,
      'Go back to your own view first.',
    );
  }
  return cloudError('REQUEST_FORBIDDEN', 'The token of the request only reads.', 'Print one without --read-only.');
}

function send({ status, headers, trailers, body }: RouteAnswer, reply: FastifyReply): FastifyReply {
  reply.code(status);
  if (headers) reply.headers(headers);
  for (const name in trailers) reply.trailer(name, async () => trailers[name]?.() ?? '');
  return body === undefined ? reply.send() : reply.send(body);
}

/** A HEAD request reads no file, so none is made. */
function sendHead({ status, headers }: RouteAnswer, file: Readable, reply: FastifyReply): FastifyReply {
  file.destroy();
  return reply
    .code(status)
    .headers({ ...headers })
    .send();
}

function logResponse(request: FastifyRequest, reply: FastifyReply, durationMs: number, logger: Logger): void {
  const status = reply.statusCode;
  const level = status >= 500 ? 'Error' : status >= 400 ? 'Warn' : 'Info';
  // The query may hold what people search for; the path says enough.
  const path = request.url.split('?', 1)[0];
  const details = { correlationId: request.id, status, durationMs: Math.round(durationMs) };
  logger.log(level, `${request.method} ${path} ${status}`, details);
}
