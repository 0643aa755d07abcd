import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { PublicOperation } from '#contracts/public-api/operation';
import type { JsonSchema } from './fitting-value.ts';

interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface ApiOperation {
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

/** The OpenAPI document of `/v1`, as a platform serves it. */
export async function readPublicApiDocument(url: string) {
  const answer = await fetch(`${url}/v1/openapi.json`);
  expect(answer.status).toBe(200);
  const document = (await answer.json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  };
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document }, 'document');
  const pointer = (...keys: string[]) =>
    keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

  const operationOf = ({ path, method }: PublicOperation): ApiOperation => {
    const found = document.paths[path]?.[method];
    if (!found) throw new Error(`${method} ${path} is not described.`);
    return found;
  };

  /** Fails where an answer is not what the document says. */
  const check = (operation: PublicOperation, answered: Answered) => {
    const { status, type, text } = answered;
    const { responses } = operationOf(operation);
    const key = responses[status] ? String(status) : 'default';
    const what = `${operation.id} answered ${status} ${text.slice(0, 300)}`;
    expect(status, what).toBeLessThan(500);
    if (key === 'default') expect(status, what).toBeGreaterThanOrEqual(400);
    const mediaType = type.split(';')[0] ?? '';
    expect(Object.keys(responses[key]?.content ?? {}), what).toContain(mediaType);
    if (!mediaType.endsWith('json') || mediaType.endsWith('ndjson')) return;
    const place = pointer('paths', operation.path, operation.method, 'responses', key, 'content', mediaType, 'schema');
    const validate = ajv.getSchema(`document#/${place}`);
    if (!validate) throw new Error(`${what}, which has no schema.`);
    expect(validate(JSON.parse(text)) ? [] : validate.errors, what).toEqual([]);
  };
  return { document, operationOf, check };
}

export interface Answered {
  readonly status: number;
  /** The header `Content-Type`. */
  readonly type: string;
  readonly text: string;
}
