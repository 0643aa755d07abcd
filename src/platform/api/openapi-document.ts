import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { AnswerContent, Operation } from '#contracts/api/operation';
import { operations } from '#contracts/api/operations';
import { scimErrorSchema } from '#contracts/api/scim-operations';
import { errorEnvelopeSchema } from '#contracts/error-envelope';
import { parseInput } from '../server/parse-input.ts';
import { type Json, SchemaCollector } from './schema-collector.ts';

const securitySchemes = {
  userToken: { type: 'http', scheme: 'bearer', description: 'Token of a person or of a CI job.' },
  browserSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '_session',
    description:
      'Session of a browser, for pages of the platform: `Sec-Fetch-Site: same-origin`, and no body but JSON. `__Host-session` with TLS; the port follows where it is not the usual one.',
  },
  pageOfPlatform: { type: 'apiKey', in: 'header', name: 'service-client', description: '`console`, with a session.' },
  scimToken: { type: 'http', scheme: 'bearer', description: 'Token that `vendor-cloud scim create` makes.' },
  envSecret: { type: 'apiKey', in: 'header', name: 'service-secret-key', description: 'Secret of an environment.' },
};

/** The API as an OpenAPI 3.1 document. */
function createOpenApiDocument(version: string): Json {
  const schemas = new SchemaCollector();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation, schemas) };
  }
  const Errors = schemas.write(errorEnvelopeSchema, 'output');
  const ScimError = schemas.write(scimErrorSchema, 'output');
  return {
    openapi: '3.1.0',
    info: { title: 'vendor-cloud platform', version },
    paths,
    components: { securitySchemes, schemas: { Errors, ScimError, ...schemas.shared } },
  };
}

function operationObject(operation: Operation, schemas: SchemaCollector): Json {
  const { id, summary, credential, params, query, body, answers } = operation;
  const [mediaType, errorName] =
    credential === 'scimToken' ? ['application/scim+json', 'ScimError'] : ['application/json', 'Errors'];
  const parameters = [
    ...parametersOf(params, 'path', schemas),
    ...parametersOf(query, 'query', schemas),
    ...(credential === 'userToken' ? [environmentHeader, projectHeader] : []),
  ];
  return {
    operationId: id,
    summary,
    security: securityOf(credential),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: contentOf(body, 'input', schemas, mediaType) } }),
    responses: { ...responsesOf(answers, schemas, mediaType), default: errorResponse(mediaType, errorName) },
  };
}

/** What a token opens, a page of the platform opens with the session of its browser. */
function securityOf(credential: Operation['credential']): readonly Json[] {
  if (credential === 'none') return [];
  const own = { [credential]: [] };
  return credential === 'userToken' ? [own, { browserSession: [], pageOfPlatform: [] }] : [own];
}

const projectHeader = {
  name: 'service-project',
  in: 'header',
  required: false,
  description: 'Id of the project, for the session of a browser. Default: the first project of the person.',
  schema: { type: 'integer' },
};

const environmentHeader = {
  name: 'service-environment',
  in: 'header',
  required: false,
  description: 'Name of another environment of the project than the one of the token.',
  schema: { type: 'string' },
};

function errorResponse(mediaType: string, name: string): Json {
  return {
    description: 'Something is wrong; the body says what, and what to do next.',
    content: { [mediaType]: { schema: { $ref: `#/components/schemas/${name}` } } },
  };
}

function parametersOf(
  schema: z.ZodObject | undefined,
  place: 'path' | 'query',
  schemas: SchemaCollector,
): readonly Json[] {
  if (!schema) return [];
  // An address holds text; the description says what the text is read as.
  const { properties } = schemas.write(schema, 'output') as { readonly properties?: Json };
  const { required } = schemas.write(schema, 'input') as { readonly required?: readonly string[] };
  return Object.entries(properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (required ?? []).includes(name),
    schema: property,
  }));
}

function responsesOf(answers: Operation['answers'], schemas: SchemaCollector, mediaType: string): Json {
  const entries = Object.entries(answers).map(([status, content]) => {
    const described = { description: status === '201' ? 'Made.' : 'Done.' };
    return [
      status,
      content === 'nothing' ? described : { ...described, content: contentOf(content, 'output', schemas, mediaType) },
    ];
  });
  return Object.fromEntries(entries);
}

function contentOf(content: AnswerContent, io: 'input' | 'output', schemas: SchemaCollector, mediaType: string): Json {
  if (content === 'bytes') return { 'application/octet-stream': {} };
  if (content === 'events') return { 'text/event-stream': { schema: { type: 'string' } } };
  if (content === 'nothing') return {};
  return { [mediaType]: { schema: schemas.write(content, io) } };
}

const noQuery = z.strictObject({});

/** What begins like this is for programs, and described. */
const isApi = /^\/(?:api|agent|host|service|scim)\//;

/**
 * Serve the description of the API, and hold requests to what it says about their addresses. Call it before the services add
 * their routes: a server whose routes are not those of the description does not start.
 */
export function registerApiDocument(server: FastifyInstance, version: string): void {
  const described = new Map(operations.map((operation) => [routeOf(operation), operation]));
  const registered = new Set<string>();
  server.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (each !== 'HEAD' && !url.endsWith('/*')) registered.add(`${each} ${url}`);
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
