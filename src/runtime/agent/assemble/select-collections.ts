import { CloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { unknownOption } from '#kernel/text/unknown-option';
import type {
  DataSource,
  DataSourceFactory,
  RecordStore,
  TransactionalStore,
} from '../../data-sources/interface/data-source.ts';
import type { CollectionSchema, FieldSchema } from '../../query/collection-schema.ts';

/** Which collections of a data source an agent takes, and under which names. */
export interface CollectionSelection {
  /** Only these. */
  readonly include?: readonly string[];
  /** All but these. */
  readonly exclude?: readonly string[];
  /** New names, by the names in the data source. */
  readonly rename?: Readonly<Record<string, string>>;
}

/**
 * A data source with a part of another one. A relation to a collection that is left out is left out too.
 * The factory rejects with `AGENT_OPTION_INVALID` when a name does not exist or is given twice.
 *
 * @throws `AGENT_OPTION_INVALID` for an option that there is not.
 */
export function selectCollections(factory: DataSourceFactory, selection: CollectionSelection): DataSourceFactory {
  const problem = unknownOption(selection, ['include', 'exclude', 'rename']);
  if (problem !== undefined) throw invalidSelection(`addDataSource has ${problem}`);
  return async () => {
    const source = await factory();
    try {
      return selectFrom(source, selection);
    } catch (error) {
      await source.close();
      throw error;
    }
  };
}

function selectFrom(source: DataSource, selection: CollectionSelection): DataSource {
  const newNames = newNamesOf(source, selection);
  const oldNames = new Map([...newNames].map(([old, current]) => [current, old]));
  const oldName = (name: string) => oldNames.get(name) ?? name;
  const { extendedBy } = source;
  return {
    ...renamedTransactions(source, oldName),
    collections: source.collections.flatMap((collection) => renamed(collection, newNames)),
    warnings: source.warnings ?? [],
    ...(extendedBy
      ? {
          extendedBy: (collections) =>
            renamedTransactions(
              extendedBy(collections.flatMap((collection) => renamed(collection, oldNames))),
              oldName,
            ),
        }
      : {}),
    ...(source.operatorsOf ? { operatorsOf: source.operatorsOf } : {}),
    nativeQueryConnections: source.nativeQueryConnections ?? [],
    ...(source.nativeQuery ? { nativeQuery: source.nativeQuery } : {}),
    fingerprint: () => source.fingerprint(),
    openConnections: () => source.openConnections(),
    close: () => source.close(),
  };
}

function renamedTransactions(store: TransactionalStore, oldName: (name: string) => string): TransactionalStore {
  const { explain } = store;
  return {
    ...renamedStore(store, oldName),
    transaction: (work, context) => store.transaction((inside) => work(renamedStore(inside, oldName)), context),
    ...(explain
      ? { explain: (query, context) => explain({ ...query, collection: oldName(query.collection) }, context) }
      : {}),
  };
}

function renamedStore(store: RecordStore, oldName: (name: string) => string): RecordStore {
  const { prepareList } = store;
  return {
    ...(prepareList
      ? { prepareList: (template) => prepareList({ ...template, collection: oldName(template.collection) }) }
      : {}),
    list: (query, context) => store.list({ ...query, collection: oldName(query.collection) }, context),
    count: (collection, where, context) => store.count(oldName(collection), where, context),
    aggregate: (query, context) => store.aggregate({ ...query, collection: oldName(query.collection) }, context),
    create: (collection, records, context) => store.create(oldName(collection), records, context),
    update: (collection, where, patch, context) => store.update(oldName(collection), where, patch, context),
    delete: (collection, where, context) => store.delete(oldName(collection), where, context),
  };
}

/** The new names of the selected collections, by the names in the data source. */
function newNamesOf(source: DataSource, { include, exclude = [], rename = {} }: CollectionSelection) {
  const known = new Set(source.collections.map(({ name }) => name));
  for (const [option, names] of Object.entries({ include: include ?? [], exclude, rename: Object.keys(rename) })) {
    const missing = names.find((name) => !known.has(name));
    if (missing === undefined) continue;
    throw invalid(option, `the data source has no collection "${missing}".${didYouMean(nearestName(missing, known))}`);
  }
  const kept = [...known].filter((name) => (include?.includes(name) ?? true) && !exclude.includes(name));
  const newNames = new Map(kept.map((name) => [name, Object.hasOwn(rename, name) ? (rename[name] ?? name) : name]));
  const taken = new Set<string>();
  for (const name of newNames.values()) {
    if (taken.has(name)) throw invalid('rename', `two collections would be called "${name}".`);
    taken.add(name);
  }
  return newNames;
}

function renamed(collection: CollectionSchema, newNames: ReadonlyMap<string, string>): CollectionSchema[] {
  const name = newNames.get(collection.name);
  if (name === undefined) return [];
  const fields = [...collection.fields.values()].flatMap((field) => {
    const kept = renamedField(field, newNames);
    return kept ? [[kept.name, kept] as const] : [];
  });
  return [{ ...collection, name, fields: new Map(fields) }];
}

function renamedField(field: FieldSchema, newNames: ReadonlyMap<string, string>): FieldSchema | undefined {
  if (field.kind === 'column') return field;
  const foreignCollection = newNames.get(field.foreignCollection);
  if (foreignCollection === undefined) return undefined;
  if (field.kind !== 'ManyToMany') return { ...field, foreignCollection };
  const throughCollection = newNames.get(field.throughCollection);
  return throughCollection === undefined ? undefined : { ...field, foreignCollection, throughCollection };
}

function invalid(option: string, problem: string): CloudError {
  return invalidSelection(`The option "${option}" of addDataSource cannot be used: ${problem}`);
}

function invalidSelection(message: string): CloudError {
  return new CloudError({
    code: 'AGENT_OPTION_INVALID',
    message,
    nextSteps: ['Correct the options of addDataSource, using the names of the data source.'],
  });
}
