import * as z from 'zod';
import { cloudError } from '#kernel/errors/cloud-error';
import { lowerKeys, messageOf, read } from './read-resource.ts';
import type { ScimKind } from './scim-kinds.ts';
import type { Resource } from './scim-resources.ts';
import type { ScimPlace } from './scim-users.ts';

/** The most operations of one request. */
export const mostOperations = 100;
/** The largest body, in bytes. */
export const largestBody = 1024 * 1024;

const deepestData = 10;

const bulkRequestId = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const bulkResponseId = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';

const operationSchema = z
  .object({
    method: z
      .string()
      .toUpperCase()
      .pipe(z.enum(['POST', 'PUT', 'PATCH', 'DELETE'])),
    path: z.string().regex(/^\/(?:Users|Groups)(?:\/[^/?#]+)?$/, '/Users or /Groups, with an id unless it is POST'),
    bulkid: z.string().min(1).max(200).optional(),
    version: z.string().max(200).optional(),
    data: z
      .unknown()
      .refine((data) => isShallow(data, deepestData), `at most ${deepestData} levels deep`)
      .optional(),
  })
  .refine(
    ({ method, path }) => (method === 'POST') === (path.lastIndexOf('/') === 0),
    'POST has no id, and the others have one',
  )
  .refine(({ method, bulkid }) => method !== 'POST' || bulkid !== undefined, 'POST needs a "bulkId"');
type Operation = z.infer<typeof operationSchema>;

const bulkSchema = z.object({
  schemas: messageOf(bulkRequestId),
  failonerrors: z.int().min(1).nullish(),
  operations: z.array(z.preprocess(lowerKeys, operationSchema)).min(1),
});

export interface BulkParts {
  readonly kinds: readonly ScimKind[];
  readonly place: ScimPlace;
  /** The body of a refusal. It tells whoever has to know of it. */
  readonly refuse: (thrown: unknown) => Promise<{ readonly status: number; readonly body: object }>;
}

/** What became of an operation. */
type Outcome = Readonly<Record<string, unknown>>;

/**
 * Several changes in one request (RFC 7644, 3.7). Each is a change of its own: those before one that fails stay. One that names a
 * `bulkId` waits for the operation which makes that resource.
 */
export async function runBulk(parts: BulkParts, body: unknown): Promise<object> {
  const { operations, failonerrors } = read(bulkSchema, body, 'invalidSyntax');
  if (operations.length > mostOperations) throw tooManyOperations();
  const ids = new Map<string, string>();
  const outcomes = new Map<Operation, Outcome>();
  const run = async (operation: Operation, isLate: boolean) => {
    const outcome = await outcomeOf(parts, operation, ids, isLate);
    outcomes.set(operation, outcome);
    return Number(outcome['status']) >= 400 ? 1 : 0;
  };
  let failures = 0;
  let waiting: readonly Operation[] = operations;
  let isStuck = false;
  while (waiting.length > 0) {
    for (const operation of waiting) {
      if (!isStuck && !namesOf(operation).every((name) => ids.has(name))) continue;
      failures += await run(operation, isStuck);
      if (failures >= (failonerrors ?? Number.POSITIVE_INFINITY)) return answer(operations, outcomes);
    }
    const left = waiting.filter((operation) => !outcomes.has(operation));
    // Nobody makes what the others name.
    isStuck = left.length === waiting.length;
    waiting = left;
  }
  return answer(operations, outcomes);
}

function answer(operations: readonly Operation[], outcomes: ReadonlyMap<Operation, Outcome>) {
  return { schemas: [bulkResponseId], Operations: operations.flatMap((operation) => outcomes.get(operation) ?? []) };
}

async function outcomeOf(
  { kinds, place, refuse }: BulkParts,
  operation: Operation,
  ids: Map<string, string>,
  isLate: boolean,
): Promise<Outcome> {
  const { method, bulkid, path, version } = operation;
  const named = { method, ...(bulkid === undefined ? {} : { bulkId: bulkid }) };
  try {
    if (isLate) throw unresolved(namesOf(operation).filter((name) => !ids.has(name)));
    const [, root = '', id = ''] = path.split('/');
    const kind = kinds.find((each) => `${each.name}s` === root);
    if (!kind) throw new TypeError(`There is no kind ${root}.`);
    const change = { id: resolved(id, ids), body: resolvedIn(operation.data, ids), wantedVersion: version };
    const resource = await perform(kind, place, method, change);
    if (!resource) return { ...named, status: '204' };
    if (bulkid !== undefined) ids.set(bulkid, resource.id);
    const { location, version: made } = resource.meta;
    return { ...named, location, version: made, status: method === 'POST' ? '201' : '200' };
  } catch (error) {
    const { status, body } = await refuse(error);
    return { ...named, status: String(status), response: body };
  }
}

async function perform(
  kind: ScimKind,
  place: ScimPlace,
  method: Operation['method'],
  change: Parameters<ScimKind['replace']>[1],
): Promise<Resource | undefined> {
  switch (method) {
    case 'POST':
      return kind.create(place, change.body);
    case 'PUT':
      return kind.replace(place, change);
    case 'PATCH':
      return kind.patch(place, change);
    case 'DELETE':
      await kind.remove(place, change);
      return undefined;
  }
}

function isShallow(data: unknown, levels: number): boolean {
  if (data === null || typeof data !== 'object') return true;
  return levels > 0 && Object.values(data).every((each) => isShallow(each, levels - 1));
}

const reference = /^bulkId:(.+)$/;

function resolved(text: string, ids: ReadonlyMap<string, string>): string {
  const name = reference.exec(text)?.[1];
  return name === undefined ? text : (ids.get(name) ?? text);
}

/** The same data, with ids in the place of `bulkId:…`. */
function resolvedIn(data: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof data === 'string') return resolved(data, ids);
  if (Array.isArray(data)) return data.map((each: unknown) => resolvedIn(each, ids));
  if (data === null || typeof data !== 'object') return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, resolvedIn(value, ids)]));
}

/** What an operation names of the others. */
function namesOf({ path, data }: Operation): readonly string[] {
  const texts: string[] = [path.split('/')[2] ?? ''];
  const collect = (part: unknown): void => {
    if (typeof part === 'string') texts.push(part);
    else if (part !== null && typeof part === 'object') for (const each of Object.values(part)) collect(each);
  };
  collect(data);
  return texts.flatMap((text) => reference.exec(text)?.[1] ?? []);
}

function unresolved(names: readonly string[]) {
  return cloudError(
    'REQUEST_CONFLICT',
    `No operation of the request has made ${names.map((name) => `"bulkId:${name}"`).join(', ')}.`,
    'Give the "bulkId" to an operation that makes the resource.',
  );
}

function tooManyOperations() {
  return cloudError(
    'REQUEST_TOO_LARGE',
    `The request has more than ${mostOperations} operations.`,
    'Send the others in another request.',
  );
}
