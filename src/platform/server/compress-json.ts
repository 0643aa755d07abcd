import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sha256Hex } from '#node/system/digest';

/** A short text is sent as quickly as it is. */
const leastBytes = 1024;

const brotli = promisify<string, { params: Record<number, number> }, Buffer>(brotliCompress);

/** The best first. */
const encodings = [
  {
    name: 'br',
    compress: (text: string) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  },
  { name: 'gzip', compress: promisify<string, Buffer>(gzip) },
] as const;

/**
 * What is read through the API of people is compressed above 1 kB for clients that take that, and has an `ETag`. Answers to changes are not
 * compressed: some hold a secret beside what was sent. Neither are logs, in which both may stand.
 */
export function compressJson(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || reply.statusCode !== 200 || !isCompressed(request)) return payload;
    const etag = `W/"${sha256Hex(payload).slice(0, 32)}"`;
    reply.headers({ etag, vary: 'accept-encoding' });
    if (isKnown(request, etag)) {
      reply.code(304);
      return '';
    }
    const taken = takenEncodings(request);
    const encoding = encodings.find(({ name }) => taken.has(name));
    if (!encoding || Buffer.byteLength(payload) < leastBytes) return payload;
    const bytes = await encoding.compress(payload);
    reply.headers({ 'content-encoding': encoding.name, 'content-length': bytes.byteLength });
    return bytes;
  });
}

function isCompressed({ method, routeOptions: { url = '' } }: FastifyRequest): boolean {
  return method === 'GET' && (url === '/openapi.json' || (url.startsWith('/api/') && url !== '/api/logs'));
}

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',').map((each) => each.trim());
  return known.includes(etag);
}

/** The encodings that a client takes. `q=0` says that it does not take one. */
export function takenEncodings({ headers }: Pick<FastifyRequest, 'headers'>): ReadonlySet<string> {
  const given = String(headers['accept-encoding'] ?? '').toLowerCase();
  return new Set(
    given.split(',').flatMap((each) => {
      const [name = '', ...parameters] = each.split(';');
      return parameters.some((parameter) => /^\s*q=0(?:\.0*)?\s*$/.test(parameter)) ? [] : [name.trim()];
    }),
  );
}
