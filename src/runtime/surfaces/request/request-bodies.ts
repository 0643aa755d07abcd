import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { parse as parseForm, stringify as stringifyForm } from 'qs';
import { UnderWay } from '#kernel/async/under-way';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { isTooDeep, mayLoseDigits, parseExactly } from '#kernel/json/read-json';

/** How many requests may wait for their bodies at once. */
export interface UnfinishedBodyLimits {
  /** In all. */
  readonly unfinishedBodies: number;
  /** From one address. */
  readonly unfinishedBodiesPerAddress: number;
}

/** A request whose body has not arrived in full. */
export interface UnfinishedBody {
  /** The body has arrived, or the request is over. Calling it again does nothing. */
  end(): void;
}

interface Waiting {
  readonly giveUp: (reason: CloudError) => void;
}

/** How long a client may go on sending a body after the answer. */
const lateBodyMs = 5_000;

/**
 * The requests that wait for their bodies. A client that sends a body slowly, or never, does not take the place of others. If
 * too many wait, the one that has waited longest is given up for the newest. Bodies of honest clients arrive within moments, so
 * theirs is rarely the oldest.
 */
export class UnfinishedBodies {
  readonly #limits: UnfinishedBodyLimits;
  /** Oldest first. */
  readonly #all = new UnderWay<Waiting>();
  readonly #byAddress = new Map<string, UnderWay<Waiting>>();

  constructor(limits: UnfinishedBodyLimits) {
    this.#limits = limits;
  }

  /**
   * @param address of the client, as far as trusted proxies tell.
   * @param giveUp Answers the request with the reason; its body is waited for no longer.
   */
  add(address: string, giveUp: Waiting['giveUp']): UnfinishedBody {
    const { unfinishedBodies, unfinishedBodiesPerAddress } = this.#limits;
    const waiting: Waiting = { giveUp };
    const ofAddress = this.#byAddress.get(address) ?? new UnderWay();
    if (ofAddress.size >= unfinishedBodiesPerAddress) giveUpOldest(ofAddress);
    if (this.#all.size >= unfinishedBodies) giveUpOldest(this.#all);
    ofAddress.add(waiting);
    this.#all.add(waiting);
    this.#byAddress.set(address, ofAddress);
    return { end: () => this.#remove(waiting, address) };
  }

  #remove(waiting: Waiting, address: string): void {
    this.#all.delete(waiting);
    const ofAddress = this.#byAddress.get(address);
    ofAddress?.delete(waiting);
    if (ofAddress?.size === 0) this.#byAddress.delete(address);
  }
}

/** Whether a request announces a body that has not arrived in full. */
export function awaitsBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return length !== '0' || coding !== undefined;
}

/**
 * End the connection of a request that is answered, if the rest of its body does not arrive soon. The request ends it
 * itself: what is in its place, such as an injected request, has no connection to end.
 */
export function endLateBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const late = setTimeout(() => request.destroy(), lateBodyMs);
  late.unref();
  request.once('close', () => clearTimeout(late));
}

function giveUpOldest(waiting: UnderWay<Waiting>): void {
  waiting.first()?.giveUp(tooManyBodies(waiting.size));
}

function tooManyBodies(count: number): CloudError {
  return cloudError(
    'AGENT_BUSY',
    `The body of the request did not arrive while ${count} newer requests waited for theirs.`,
    'Send the request again, with its body at once.',
  );
}

const hostBodies = new WeakMap<IncomingMessage, unknown>();

/** Keep the result of a host application's parser, in case it has read the body already. */
export function rememberHostBody(request: IncomingMessage, body: unknown): void {
  hostBodies.set(request, body);
}

/** Whether a host application has begun to read the body. An empty body that was read to its end counts as ended, not as read. */
export function hasHostReadBody({ readableDidRead, readableEnded }: IncomingMessage): boolean {
  return readableDidRead || readableEnded;
}

/** What the host application made of the body. Throws `AGENT_BODY_CONSUMED` where it left nothing. */
export function hostBodyOf(request: IncomingMessage): unknown {
  const body = hostBodies.get(request);
  if (body !== undefined) return body;
  throw cloudError(
    'AGENT_BODY_CONSUMED',
    'The application around the agent has read the body of the request and left nothing of it.',
    'Mount the agent before whatever reads bodies, or have that put what it has read into "body".',
  );
}

/** The body of a request as it comes over the connection; `undefined` for one of more than `maxBytes`. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** How many bytes a body may have. */
export interface BodyLimits {
  readonly jsonBytes: number;
  readonly formBytes: number;
}

const defaultLimits: BodyLimits = { jsonBytes: 50 * 1024 ** 2, formBytes: 56 * 1024 };

const jsonTypes = [
  'application/json',
  'application/vnd.api+json',
  'application/json-patch+json',
  'application/csp-report',
  'application/reports+json',
  'application/scim+json',
];

/** A body that cannot be read. Answered as plain text, since no route has seen the request yet. */
export class BodyUnreadable extends Error {
  readonly statusCode = 400;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON whose members would change what an object is, once somebody copies them. */
function changesObjects(): CloudError {
  return invalidRequest(
    'A member of the body is called "__proto__", or "constructor" with a "prototype" in it. The agent takes no such member.',
    'Leave the member out, or write it in a client of the database.',
  );
}

/**
 * The value of a body by its content type: JSON and forms are parsed, anything else is `{}`. Names of forms lead into objects and lists, as
 * `data[attributes][name]` or `data.attributes.name`.
 */
export function addBodyParsers(app: FastifyInstance, { jsonBytes, formBytes }: BodyLimits = defaultLimits): void {
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>(jsonTypes, { parseAs: 'string', bodyLimit: jsonBytes }, (request, text, done) => {
    if (text.trim() === '') return done(null, {});
    if (isTooDeep(text)) return done(new BodyUnreadable());
    return parseJson(request, text, (error, value) => {
      const isStructure = typeof value === 'object' && value !== null;
      if (!error && isStructure) done(null, mayLoseDigits(text) ? parseExactly(text) : value);
      else done(isJson(text) && error ? changesObjects() : new BodyUnreadable());
    });
  });
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytes },
    (_request, text, done) => done(null, parseForm(text, { allowDots: true })),
  );
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: jsonBytes }, (_request, _bytes, done) =>
    done(null, {}),
  );
}

/**
 * When the host has read the body of a request, our parsers read the host's result, because the body does not come a second
 * time. They check it like any other body.
 */
export function readBody(request: FastifyRequest, payload: RequestPayload, done: GiveBody): void {
  const { raw } = request;
  // The client broke off while its token was looked at: nothing says so any more to whoever reads now.
  if (raw.destroyed && !raw.complete) done(new BodyUnreadable());
  else if (!hasHostReadBody(raw)) done(null, payload);
  else readAgain(request).then((body) => done(null, body), done);
}

type GiveBody = (error: Error | null, body?: RequestPayload) => void;

async function readAgain({ raw, headers }: FastifyRequest): Promise<RequestPayload> {
  const sentBytes = Number(headers['content-length'] ?? 0);
  const hasBody = sentBytes > 0 || headers['transfer-encoding'] !== undefined;
  const text = hasBody ? textOf(hostBodyOf(raw), headers['content-type'] ?? '') : '';
  // The announced length is compared with the sent body, not with the parsed one.
  return Object.assign(Readable.from([text]), { receivedEncodedLength: sentBytes });
}

function textOf(body: unknown, contentType: string): string | Buffer {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body);
  const isForm = contentType.startsWith('application/x-www-form-urlencoded');
  return isForm ? stringifyForm({ ...Object(body) }) : JSON.stringify(body);
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of a JSON object, or `undefined` if there is none or the parent is something else. */
export function memberOf(parent: unknown, name: string): unknown {
  return isJsonObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
}

/** A member that is an object itself, or an empty one. */
export function objectMemberOf(parent: unknown, name: string): JsonObject {
  const member = memberOf(parent, name);
  return isJsonObject(member) ? member : {};
}
