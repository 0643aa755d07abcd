import { cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { SchemaRepository } from './schemas.ts';

/** The names of the collections of an environment; `undefined` before an agent has told them. */
export type KnownCollections = (environmentId: number) => Promise<ReadonlySet<string> | undefined>;

/** Reads the schema of an environment when it is another one than before. */
export function createKnownCollections(schemas: Pick<SchemaRepository, 'findHash' | 'findDocument'>): KnownCollections {
  const known = new Map<number, { readonly hash: string; readonly names: ReadonlySet<string> }>();
  return async (environmentId) => {
    const hash = await schemas.findHash(environmentId);
    if (hash === undefined) return undefined;
    const before = known.get(environmentId);
    if (before?.hash === hash) return before.names;
    const document = await schemas.findDocument(environmentId);
    const names = new Set(document?.collections.map(({ name }) => name));
    known.set(environmentId, { hash, names });
    return names;
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
