import type { FastifyInstance } from 'fastify';
import type { PublicOperation } from '#contracts/public-api/operation';
import { publicOperations } from '#contracts/public-api/operations';
import { noParameters } from '#contracts/public-api/parameters';
import { problemSchema } from '#contracts/public-api/problem';
import { type Json, SchemaCollector } from '../api/schema-collector.ts';
import { parseInput } from '../server/parse-input.ts';

/** The public API as an OpenAPI 3.1 document. */
function createPublicApiDocument(version: string): Json {
  const schemas = new SchemaCollector();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of publicOperations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation, schemas) };
  }
  const Problem = schemas.write(problemSchema, 'output');
  return {
    openapi: '3.1.0',
    info: { title: 'vendor-cloud public API', version },
    paths,
    components: {
      securitySchemes: {
        apiToken: { type: 'http', scheme: 'bearer', description: 'API token, or the token of an administrator.' },
      },
      headers,
      schemas: { Problem, ...schemas.shared },
    },
  };
}

const number = { schema: { type: 'integer' } };
const text = { schema: { type: 'string' } };

const headers = {
  'X-RateLimit-Limit': { description: 'Quota of the tightest policy.', ...number },
  'X-RateLimit-Remaining': { description: 'What is left of it.', ...number },
  'X-RateLimit-Reset': { description: 'When there is one unit more, in seconds since 1970.', ...number },
  ETag: { description: 'State of what was read.', ...text },
};

function operationObject(operation: PublicOperation, schemas: SchemaCollector): Json {
  const { id, summary, scope, body, status = 200, answer } = operation;
  const parameters = [
    ...pathParameters(operation),
    ...queryParameters(operation, schemas),
    ...headerParameters(operation),
  ];
  const content = answer === 'export' ? exportContent : jsonContent(schemas.write(answer, 'output'));
  return {
    operationId: id,
    summary,
    security: [{ apiToken: scope === undefined ? [] : [scope] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: jsonContent(schemas.write(body, 'input')) } } : {}),
    responses: {
      [status]: { description: status === 201 ? 'Made.' : 'Done.', headers: headersOf(operation), content },
      default: problemResponse,
    },
  };
}

function headersOf({ isTagged = false }: PublicOperation): Json {
  const names = Object.keys(headers).filter((name) => name !== 'ETag' || isTagged);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function jsonContent(schema: Json): Json {
  return { 'application/json': { schema } };
}

const lines = { schema: { type: 'string' } };
const exportContent = { 'application/x-ndjson': lines, 'text/csv': lines, 'text/plain': lines };

const problem = { schema: { $ref: '#/components/schemas/Problem' } };
const problemResponse = {
  description: 'Something is wrong; the body says what, and what to do next.',
  content: { 'application/json': problem, 'application/problem+json': problem },
};

function pathParameters({ path }: PublicOperation): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }));
}

function queryParameters({ query }: PublicOperation, schemas: SchemaCollector): readonly Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemas.write(query, 'input') as {
    readonly properties?: Json;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function headerParameters({ headers: taken = {} }: PublicOperation): readonly Json[] {
  return Object.entries(taken).map(([name, { isRequired, description }]) => ({
    name,
    in: 'header',
    required: isRequired,
    description,
    schema: { type: 'string' },
  }));
}

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
