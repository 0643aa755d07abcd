import { parse as parseForm } from 'node:querystring';
import type { FastifyInstance } from 'fastify';
import { escaped, pageHeaders, renderPage } from '#node/http/html-page';
import { cloudErrorOf, envelopeOf } from '../server/error-mapper.ts';

/** Pages send forms, and nothing else is taken from them. A refusal is a page too. */
export function servePages(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 4096 },
    (_request, text, done) => done(null, parseForm(text)),
  );
  server.setErrorHandler((thrown, _request, reply) => {
    const error = cloudErrorOf(thrown);
    const { status } = envelopeOf(error);
    // The handler of the server answers faults of ours, and logs them.
    if (status >= 500) throw error;
    const steps = error.nextSteps.map((step) => `<p>${escaped(step)}</p>`).join('\n');
    const page = renderPage({ title: 'This did not work', problem: error.message, html: steps });
    return reply.code(status).headers(pageHeaders()).send(page);
  });
}
