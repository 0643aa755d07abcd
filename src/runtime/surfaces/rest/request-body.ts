import { parse as parseQuery, stringify as stringifyForm } from 'node:querystring';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { isTooDeep } from '#kernel/text/json-depth';
import { hasHostReadBody, hostBodyOf } from '../request/request-bodies.ts';

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

/** The value of a body by its content type: JSON and forms are parsed, anything else is `{}`. */
export function addBodyParsers(app: FastifyInstance, { jsonBytes, formBytes }: BodyLimits = defaultLimits): void {
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>(jsonTypes, { parseAs: 'string', bodyLimit: jsonBytes }, (request, text, done) => {
    if (text.trim() === '') return done(null, {});
    if (isTooDeep(text)) return done(new BodyUnreadable());
    return parseJson(request, text, (error, value) => {
      const isStructure = typeof value === 'object' && value !== null;
      if (error || !isStructure) done(new BodyUnreadable());
      else done(null, value);
    });
  });
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytes },
    (_request, text, done) => done(null, { ...parseQuery(text) }),
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
