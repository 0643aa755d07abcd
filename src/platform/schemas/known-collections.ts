import type { SchemaDocument } from '#contracts/schema-document';
import { cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { SchemaRepository } from './schemas.ts';

type ReadSchemas = Pick<SchemaRepository, 'findHash' | 'findDocument'>;

/** The names of the collections of an environment; `undefined` before an agent has told them. */
export type KnownCollections = (environmentId: number) => Promise<ReadonlySet<string> | undefined>;

/** Reads the schema of an environment when it is another one than before. */
export function createKnownCollections(schemas: ReadSchemas): KnownCollections {
  return rememberOfSchema(schemas, (document) => new Set(document?.collections.map(({ name }) => name)));
}

/** The origins that the agent of an environment has pages call, as it sent them with its schema. */
export type SentWebhookOrigins = (environmentId: number) => Promise<readonly string[]>;

export function createSentWebhookOrigins(schemas: ReadSchemas): SentWebhookOrigins {
  const known = rememberOfSchema(schemas, (document) => document?.meta.webhook_origins ?? []);
  return async (environmentId) => (await known(environmentId)) ?? [];
}

/** Remembers a fact of the schema of each environment until its hash is another one. */
function rememberOfSchema<Fact>(
  schemas: ReadSchemas,
  factOf: (document: SchemaDocument | undefined) => Fact,
): (environmentId: number) => Promise<Fact | undefined> {
  const known = new Map<number, { readonly hash: string; readonly fact: Fact }>();
  return async (environmentId) => {
    const hash = await schemas.findHash(environmentId);
    if (hash === undefined) return undefined;
    const before = known.get(environmentId);
    if (before?.hash === hash) return before.fact;
    const fact = factOf(await schemas.findDocument(environmentId));
    known.set(environmentId, { hash, fact });
    return fact;
  };
}

/** Throws `REQUEST_INVALID` for a collection that an environment does not have. */
export function requireCollection(known: ReadonlySet<string> | undefined, name: string): void {
  if (!known || known.has(name)) return;
  throw cloudError(
    'REQUEST_INVALID',
    `The environment has no collection "${name}".${didYouMean(nearestName(name, [...known]))}`,
    'Name a collection as the agent publishes it.',
  );
}
