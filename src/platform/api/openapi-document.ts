import type * as z from 'zod';
import type { AnswerContent, Operation } from '#contracts/api/operation';
import { operations } from '#contracts/api/operations';
import { errorEnvelopeSchema } from '#contracts/error-envelope';
import { type Json, SchemaCollector } from './schema-collector.ts';

const securitySchemes = {
  userToken: { type: 'http', scheme: 'bearer', description: 'Token of a person or of a CI job.' },
  envSecret: { type: 'apiKey', in: 'header', name: 'service-secret-key', description: 'Secret of an environment.' },
};

/** The API as an OpenAPI 3.1 document. */
export function createOpenApiDocument(version: string): Json {
  const schemas = new SchemaCollector();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation, schemas) };
  }
  const Errors = schemas.write(errorEnvelopeSchema, 'output');
  return {
    openapi: '3.1.0',
    info: { title: 'vendor-cloud platform', version },
    paths,
    components: { securitySchemes, schemas: { Errors, ...schemas.shared } },
  };
}

function operationObject(operation: Operation, schemas: SchemaCollector): Json {
  const { id, summary, credential, params, query, body, answers } = operation;
  const parameters = [
    ...parametersOf(params, 'path', schemas),
    ...parametersOf(query, 'query', schemas),
    ...(credential === 'userToken' ? [environmentHeader] : []),
  ];
  return {
    operationId: id,
    summary,
    security: credential === 'none' ? [] : [{ [credential]: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body, 'input', schemas) } }),
    responses: { ...responsesOf(answers, schemas), default: errorResponse },
  };
}

const environmentHeader = {
  name: 'service-environment',
  in: 'header',
  required: false,
  description: 'Name of another environment of the project than the one of the token.',
  schema: { type: 'string' },
};

const errorResponse = {
  description: 'Something is wrong; the body says what, and what to do next.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } },
};

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

function responsesOf(answers: Operation['answers'], schemas: SchemaCollector): Json {
  const entries = Object.entries(answers).map(([status, content]) => {
    const described = { description: status === '201' ? 'Made.' : 'Done.' };
    return [
      status,
      content === 'nothing' ? described : { ...described, content: contentOf(content, 'output', schemas) },
    ];
  });
  return Object.fromEntries(entries);
}

function contentOf(content: AnswerContent, io: 'input' | 'output', schemas: SchemaCollector): Json {
  if (content === 'bytes') return { 'application/octet-stream': {} };
  if (content === 'events') return { 'text/event-stream': { schema: { type: 'string' } } };
  if (content === 'nothing') return {};
  return { 'application/json': { schema: schemas.write(content, io) } };
}
