import type { FastifyInstance } from 'fastify';
import { publicOperations } from '#contracts/public-api/operations';
import { noParameters } from '#contracts/public-api/parameters';
import { parseInput } from '../server/parse-input.ts';
import { createPublicApiDocument } from './public-api-document.ts';

const documentPath = '/v1/openapi.json';

/**
 * Serve the description of the public API, which needs no token. Call it before the services add their routes: a server whose routes
 * are not those of the description does not start.
 */
export function registerPublicApiDocument(server: FastifyInstance, version: string): void {
  const described = new Map(
    publicOperations.map((operation) => [
      `${operation.method.toUpperCase()} ${operation.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      operation,
    ]),
  );
  const registered = new Set<string>();
  server.addHook('onRoute', ({ method, url }) => {
    if (!url.startsWith('/v1/') || url === documentPath) return;
    for (const each of [method].flat()) if (each !== 'HEAD') registered.add(`${each} ${url}`);
  });
  server.addHook('onReady', async () => {
    const wrong = [...registered.symmetricDifference(new Set(described.keys()))];
    if (wrong.length > 0)
      throw new TypeError(`The document of the public API and its routes differ: ${wrong.join(', ')}`);
  });
  server.addHook('preValidation', async ({ method, routeOptions, query }) => {
    const operation = described.get(`${method} ${routeOptions.url ?? ''}`);
    if (operation && !operation.query) parseInput(noParameters, query);
  });
  let document: ReturnType<typeof createPublicApiDocument> | undefined;
  server.get(documentPath, async () => {
    // It takes longer to write than all routes take to add, and few ask for it.
    document ??= createPublicApiDocument(version);
    return document;
  });
}
