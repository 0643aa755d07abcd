import { projectConfigFile } from '#contracts/project-config';
import { CloudError, type CloudErrorInput, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import { didYouMean, nearestName, unknownOption } from '#kernel/text/nearest-name';
import type {
  DataSource,
  DataSourceFactory,
  RecordStore,
  SuggestedSettings,
  TableRules,
  TransactionalStore,
} from '../../data-sources/interface/data-source.ts';
import type { CollectionSchema, FieldSchema } from '../../query/collection-schema.ts';

/** The collections of a data source that an agent takes, and their names. */
export interface CollectionSelection {
  /** Only these. */
  readonly include?: readonly string[] | undefined;
  /** All but these. */
  readonly exclude?: readonly string[] | undefined;
  /** New names, by the names in the data source; or a prefix for all names. */
  readonly rename?: Readonly<Record<string, string>> | string | undefined;
}

/**
 * A data source with a part of another one. A relation to a collection that is left out is left out too.
 * The factory rejects with `AGENT_OPTION_INVALID` when a name does not exist or is given twice.
 *
 * @param place where the user wrote the selection, for errors.
 * @throws `AGENT_OPTION_INVALID` for an unknown option.
 */
export function selectCollections(
  factory: DataSourceFactory,
  selection: CollectionSelection,
  place: string,
): DataSourceFactory {
  const problem = unknownOption(selection, ['include', 'exclude', 'rename']);
  if (problem !== undefined) throw invalidSelection(place, `${place} has ${problem}`);
  if (Object.values(selection).every((option) => option === undefined)) return factory;
  return async () => {
    const source = await factory();
    try {
      return selectFrom(source, selection, place);
    } catch (error) {
      await source.close();
      throw error;
    }
  };
}

/** A data source of a project, or the part of it that was selected. */
export function selectNamed(
  name: string,
  make: () => DataSourceFactory,
  selection: CollectionSelection,
): DataSourceFactory {
  const place = `the data source "${name}" in ${projectConfigFile}`;
  const selected = selectCollections(async () => make()(), selection, place);
  return () => openingNamed(name, selected);
}

/** Open a database. What keeps it from being opened says which data source it is, because a project may have several. */
export async function openingNamed<Result>(name: string, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    if (!isCloudError(error) || !error.code.startsWith('DATABASE_')) throw error;
    const { safeDetails } = error;
    const message = `The data source "${name}" in ${projectConfigFile} cannot be opened. ${error.message}`;
    throw new CloudError({ ...reportOfError(error), safeDetails, message, cause: error } as CloudErrorInput);
  }
}

function selectFrom(source: DataSource, selection: CollectionSelection, place: string): DataSource {
  const newNames = newNamesOf(source, selection, place);
  const oldNames = new Map([...newNames].map(([old, current]) => [current, old]));
  const oldName = (name: string) => oldNames.get(name) ?? name;
  const { extendedBy, rules } = source;
  return {
    ...renamedTransactions(source, oldName),
    collections: source.collections.flatMap((collection) => renamed(collection, newNames)),
    warnings: source.warnings ?? [],
    ...(source.suggestedSettings ? { suggestedSettings: settingsOf(source.suggestedSettings, newNames) } : {}),
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
    ...(source.onNotice ? { onNotice: source.onNotice } : {}),
    ...(rules ? { rules: async () => renamedRules(await rules(), newNames) } : {}),
    ...(source.zoneWarning ? { zoneWarning: source.zoneWarning } : {}),
    ...(source.replicas ? { replicas: source.replicas } : {}),
    fingerprint: () => source.fingerprint(),
    openConnections: () => source.openConnections(),
    close: () => source.close(),
  };
}

function renamedRules(
  rules: ReadonlyMap<string, TableRules>,
  newNames: ReadonlyMap<string, string>,
): ReadonlyMap<string, TableRules> {
  return new Map(
    [...rules].flatMap(([old, each]) => {
      const name = newNames.get(old);
      return name === undefined ? [] : [[name, each] as const];
    }),
  );
}

/** The settings of the tables that are taken. They are named as the data source names them. */
function settingsOf(
  { softDelete, timestamps, instants, unclearInstants }: SuggestedSettings,
  taken: ReadonlyMap<string, string>,
): SuggestedSettings {
  const among = <Value>(values: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(values).filter(([table]) => taken.has(table)));
  return {
    softDelete: among(softDelete),
    timestamps: among(timestamps),
    ...(instants ? { instants: among(instants) } : {}),
    ...(unclearInstants ? { unclearInstants: among(unclearInstants) } : {}),
  };
}

function renamedTransactions(store: TransactionalStore, oldName: (name: string) => string): TransactionalStore {
  const { explain, adviseIndex } = store;
  return {
    ...renamedStore(store, oldName),
    transaction: (work, context) => store.transaction((inside) => work(renamedStore(inside, oldName)), context),
    ...(explain
      ? { explain: (query, context) => explain({ ...query, collection: oldName(query.collection) }, context) }
      : {}),
    ...(adviseIndex
      ? { adviseIndex: (query, context) => adviseIndex({ ...query, collection: oldName(query.collection) }, context) }
      : {}),
  };
}

function renamedStore(store: RecordStore, oldName: (name: string) => string): RecordStore {
  const { prepareList, listStored, listPlaces, listLocked, tellsKeys, hidesValues } = store;
  return {
    ...(tellsKeys ? { tellsKeys } : {}),
    ...(hidesValues ? { hidesValues } : {}),
    ...(prepareList
      ? { prepareList: (template) => prepareList({ ...template, collection: oldName(template.collection) }) }
      : {}),
    ...(listStored ? { listStored: (collection, ...rest) => listStored(oldName(collection), ...rest) } : {}),
    ...(listLocked ? { listLocked: (collection, ...rest) => listLocked(oldName(collection), ...rest) } : {}),
    ...(listPlaces ? { listPlaces: (collection, ...rest) => listPlaces(oldName(collection), ...rest) } : {}),
    list: (query, context) => store.list({ ...query, collection: oldName(query.collection) }, context),
    count: (collection, where, context) => store.count(oldName(collection), where, context),
    aggregate: (query, context) => store.aggregate({ ...query, collection: oldName(query.collection) }, context),
    create: (collection, records, context) => store.create(oldName(collection), records, context),
    update: (collection, ...rest) => store.update(oldName(collection), ...rest),
    delete: (collection, ...rest) => store.delete(oldName(collection), ...rest),
  };
}

/** The new names of the selected collections, by the names in the data source. */
function newNamesOf(
  source: DataSource,
  { include, exclude = [], rename = {} }: CollectionSelection,
  place: string,
): ReadonlyMap<string, string> {
  const isPrefix = typeof rename === 'string';
  const renamedNames = isPrefix ? [] : Object.keys(rename);
  const newName = (name: string) =>
    isPrefix ? `${rename}${name}` : Object.hasOwn(rename, name) ? (rename[name] ?? name) : name;
  const known = new Set(source.collections.map(({ name }) => name));
  for (const [option, names] of Object.entries({ include: include ?? [], exclude, rename: renamedNames })) {
    const missing = names.find((name) => !known.has(name));
    if (missing === undefined) continue;
    const nearest = didYouMean(nearestName(missing, known));
    throw invalid(place, option, `the data source has no collection "${missing}".${nearest}`);
  }
  const kept = [...known].filter((name) => (include?.includes(name) ?? true) && !exclude.includes(name));
  const newNames = new Map(kept.map((name) => [name, newName(name)]));
  const taken = new Set<string>();
  for (const name of newNames.values()) {
    if (taken.has(name)) throw invalid(place, 'rename', `two collections would be called "${name}".`);
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

function invalid(place: string, option: string, problem: string): CloudError {
  return invalidSelection(place, `The option "${option}" of ${place} cannot be used: ${problem}`);
}

function invalidSelection(place: string, message: string): CloudError {
  return cloudError(
    'AGENT_OPTION_INVALID',
    message,
    `Correct the options of ${place}, using the names of the data source.`,
  );
}
