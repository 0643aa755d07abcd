import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Operation } from '#contracts/api/operation';
import { operations } from '#contracts/api/operations';
import { parseInput } from '../server/parse-input.ts';
import { createOpenApiDocument } from './openapi-document.ts';

const noQuery = z.strictObject({});

/** What begins like this is for programs, and described. */
const isApi = /^\/(?:api|agent|host|service)\//;

/**
 * Serve the description of the API, and hold requests to what it says about their addresses. Call it before the services add
 * their routes: a server whose routes are not those of the description does not start.
 */
export function registerApiDocument(server: FastifyInstance, version: string): void {
  const described = new Map(operations.map((operation) => [routeOf(operation), operation]));
  const registered = new Set<string>();
  server.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (each !== 'HEAD') registered.add(`${each} ${url}`);
  });
  server.addHook('onReady', async () => {
    const isOfApi = (route: string) => isApi.test(route.slice(route.indexOf(' ') + 1));
    const missing = [...registered].filter((route) => isOfApi(route) && !described.has(route));
    const absent = [...described].flatMap(([route, { isOnlyOf }]) =>
      isOfApi(route) && isOnlyOf === undefined && !registered.has(route) ? [route] : [],
    );
    if (missing.length + absent.length === 0) return;
    throw new TypeError(
      `The API document lacks ${missing.join(', ') || 'nothing'}, and describes ${absent.join(', ') || 'nothing'} that is not there.`,
    );
  });
  server.addHook('preValidation', async (request) => {
    // Monitors add what they like to the addresses of the others.
    const operation = isApi.test(request.url) ? described.get(nameOf(request)) : undefined;
    if (operation) parseInput(operation.query ?? noQuery, request.query);
  });
  let document: ReturnType<typeof createOpenApiDocument> | undefined;
  server.get('/openapi.json', async () => {
    // It takes longer to write than all routes take to add, and few ask for it.
    document ??= createOpenApiDocument(version);
    return document;
  });
}

/** How the web framework writes the route of an operation. */
function routeOf({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

function nameOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url ?? ''}`;
}
