import { isDeepStrictEqual } from 'node:util';
import type { DataSource, TransactionalStore } from '../data-sources/interface/data-source.ts';
import type { CollectionSchema } from '../query/collection-schema.ts';
import type { CollectionDraft, CollectionDrafts } from './collection-draft.ts';

/** The store that reads and writes the collections of a data source. */
interface Extension {
  /** Its collections that something was added to, by name. */
  readonly extended: ReadonlyMap<string, CollectionSchema>;
  readonly store: TransactionalStore;
}

/** How each data source was extended last. */
const lastExtensions = new WeakMap<DataSource, Extension>();

/**
 * Each data source with what was added to its collections; the source itself where nothing was. A source that is extended
 * as it was last time is the same store, with the same schemas: its compiled statements stay.
 */
export function extendedStores(
  drafts: CollectionDrafts,
  schemas: ReadonlyMap<CollectionDraft, CollectionSchema>,
): ReadonlyMap<DataSource, Extension> {
  const bySource = new Map<DataSource, Map<string, CollectionSchema>>();
  for (const [{ dataSource, name }, schema] of schemas) {
    const extended = bySource.get(dataSource) ?? new Map<string, CollectionSchema>();
    bySource.set(dataSource, extended.set(name, schema));
  }
  return new Map([...bySource].map(([source, extended]) => [source, extensionOf(source, drafts, extended)]));
}

function extensionOf(
  source: DataSource,
  drafts: CollectionDrafts,
  extended: ReadonlyMap<string, CollectionSchema>,
): Extension {
  const last = lastExtensions.get(source);
  if (last && isDeepStrictEqual(last.extended, extended)) return last;
  const own = [...drafts.values()].filter(({ dataSource }) => dataSource === source);
  const schemas = own.map(({ name, native }) => extended.get(name) ?? native);
  const extension = { extended, store: source.extendedBy?.(schemas) ?? source };
  lastExtensions.set(source, extension);
  return extension;
}
