import { parse as parseQuery } from 'node:querystring';
import type { FastifyInstance } from 'fastify';
import { isTooDeep } from './http/json-depth.ts';

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

/** What a body of each content type becomes: JSON and forms their value, anything else `{}`. */
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
