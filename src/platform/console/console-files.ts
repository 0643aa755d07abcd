import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { consolePath } from '#contracts/console';
import { cloudError } from '#kernel/errors/cloud-error';
import { pageHeaders, renderPage } from '#node/http/html-page';
import { takenEncodings } from '../server/compress-json.ts';

/**
 * Serve the console to everybody: what it shows comes from the API. Every path that is not one of a file is a screen of it. A file of an
 * earlier build is not found, and the page loads itself again.
 *
 * @param folder what the build has written: `index.html`, and `assets/` with a hash in each name.
 */
export function registerConsoleFiles(server: FastifyInstance, folder: string, callable: CallableServers): void {
  server.get('/', async (_request, reply) => reply.redirect(consolePath));
  server.get('/console', async (_request, reply) => reply.redirect(consolePath));
  server.get('/console/assets/:name', async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const type = typeOf(name);
    const file = type && (await readEncoded(path.join(folder, 'assets', name), takenEncodings(request)));
    if (!file) throw cloudError('REQUEST_NOT_FOUND', 'The console has no such file.', 'Load the page again.');
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' });
    // A worker obeys the policy of its file, and only that.
    if (type === types['.js']) reply.header('content-security-policy', workerPolicy);
    if (file.encoding !== undefined) reply.header('content-encoding', file.encoding);
    return reply.type(type).send(file.bytes);
  });
  server.get(`${consolePath}*`, async (request, reply) => {
    const page = await readIfThere(path.join(folder, 'index.html'));
    if (!page) return reply.code(503).headers(pageHeaders()).send(notBuiltPage);
    const policy = policyWith(await callable(request, reply));
    return reply.headers({ ...documentHeaders, 'content-security-policy': policy }).send(page);
  });
}

/** The sources of the policy that the page of somebody may call beside the platform. */
export type CallableServers = (request: FastifyRequest, reply: FastifyReply) => Promise<readonly string[]>;

const workerPolicy = "default-src 'none'; connect-src 'self'";

const callRule = "connect-src 'self'";

/** Nothing inline, nothing from elsewhere, and no text becomes code. */
const rules = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  callRule,
  "frame-src 'self' blob:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  // The worker that verifies the log.
  'trusted-types log-verification',
];

function policyWith(callable: readonly string[]): string {
  return rules.map((rule) => (rule === callRule ? [rule, ...callable].join(' ') : rule)).join('; ');
}

const unusedFeatures = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'serial', 'usb'];
const documentHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'permissions-policy': unusedFeatures.map((feature) => `${feature}=()`).join(', '),
};

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The type of what may be asked for: a plain name, without a folder. */
function typeOf(name: string): string | undefined {
  return /^[\w][\w.-]*$/.test(name) ? types[path.extname(name)] : undefined;
}

/** The smallest of the forms that the build has made and the client takes. */
const encodings = [
  { encoding: 'br', extension: '.br' },
  { encoding: 'gzip', extension: '.gz' },
] as const;

async function readEncoded(file: string, taken: ReadonlySet<string>) {
  for (const { encoding, extension } of encodings) {
    const bytes = taken.has(encoding) ? await readIfThere(file + extension) : undefined;
    if (bytes) return { bytes, encoding };
  }
  const bytes = await readIfThere(file);
  return bytes && { bytes, encoding: undefined };
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR'))
      return undefined;
    throw error;
  }
}

const notBuiltPage = renderPage({
  title: 'The console was not built',
  html: '<p>This platform runs from a checkout. Run <code>npm run build</code> there, then load this page again.</p>',
});
