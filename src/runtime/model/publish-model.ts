import type { JoinPairs, RelationSchema } from '../query/collection-schema.ts';
import {
  type CompiledCollection,
  type CompiledField,
  type CompiledModel,
  isValueField,
  type ModelView,
} from './compiled-model.ts';
import { createPublishedNames } from './published-names.ts';

/** The published part of one collection. */
export interface Publication {
  readonly isRemoved: boolean;
  /** New names by the original ones. */
  readonly renames: ReadonlyMap<string, string>;
  readonly removedFields: ReadonlySet<string>;
}

const nothingChanged: Publication = { isRemoved: false, renames: new Map(), removedFields: new Set() };

/**
 * The model that surfaces see: fields renamed, and what was removed left out with the relations that need it. A collection
 * that none of this concerns is published as it is.
 */
export function publishModel(
  original: ModelView,
  publications: ReadonlyMap<string, Publication>,
  { charts, ai, masks }: Pick<CompiledModel, 'charts' | 'ai' | 'masks'>,
): CompiledModel {
  const publicationOf = (name: string) => publications.get(name) ?? nothingChanged;
  const isShown = (collection: string, field: string) => !publicationOf(collection).removedFields.has(field);
  const shownName = (collection: string, field: string) => publicationOf(collection).renames.get(field) ?? field;
  const changed = new Set([...publications].flatMap(([name, publication]) => (isChanged(publication) ? [name] : [])));

  const collections = changed.size === 0 ? original.collections : publishCollections();
  const names = createPublishedNames(collections, publications);
  return { collections, original, names, charts, ai, masks, namesWithSlash: namesWithSlash(collections) };

  function publishCollections(): ModelView['collections'] {
    const published = new Map<string, CompiledCollection>();
    for (const [name, collection] of original.collections) {
      if (publicationOf(name).isRemoved) continue;
      published.set(name, isConcerned(collection) ? publishCollection(name, collection) : collection);
    }
    return published;
  }

  /** Names and relations reach into other collections. */
  function isConcerned({ name, fields }: CompiledCollection): boolean {
    return changed.has(name) || [...fields.values()].some((field) => !isValueField(field) && reachesChanged(field));
  }

  function reachesChanged(relation: RelationSchema): boolean {
    if (changed.has(relation.foreignCollection)) return true;
    return relation.kind === 'ManyToMany' && changed.has(relation.throughCollection);
  }

  function publishCollection(name: string, collection: CompiledCollection): CompiledCollection {
    const fields = [...collection.fields.values()].flatMap((field) => {
      if (!isShown(name, field.name) || (!isValueField(field) && !isRelationShown(name, field))) return [];
      const published = publishField(name, field);
      return [[published.name, published] as const];
    });
    return {
      ...collection,
      fields: new Map(fields),
      primaryKey: collection.primaryKey.map((key) => shownName(name, key)),
      title: collection.title === undefined ? undefined : shownName(name, collection.title),
      validations: byShownName(name, collection.validations),
      binaryModes: byShownName(name, collection.binaryModes),
      tones: byShownName(name, collection.tones),
    };
  }

  function byShownName<Value>(collection: string, values: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
    return new Map([...values].map(([field, value]) => [shownName(collection, field), value]));
  }

  function isRelationShown(collection: string, relation: RelationSchema): boolean {
    const { foreignCollection: foreign } = relation;
    if (publicationOf(foreign).isRemoved) return false;
    if (relation.kind !== 'ManyToMany') {
      return relation.join.every((pair) => isShown(collection, pair.local) && isShown(foreign, pair.foreign));
    }
    const { throughCollection: through, originJoin, foreignJoin } = relation;
    if (publicationOf(through).isRemoved) return false;
    return (
      originJoin.every((pair) => isShown(collection, pair.local) && isShown(through, pair.foreign)) &&
      foreignJoin.every((pair) => isShown(through, pair.local) && isShown(foreign, pair.foreign))
    );
  }

  function publishField(collection: string, field: CompiledField): CompiledField {
    const name = shownName(collection, field.name);
    if (field.kind === 'column') return name === field.name ? field : { ...field, name };
    if (isValueField(field)) return name === field.name ? field : { ...field, name, column: { ...field.column, name } };
    const { foreignCollection: foreign } = field;
    if (field.kind !== 'ManyToMany') return { ...field, name, join: publishPairs(field.join, collection, foreign) };
    const { throughCollection: through } = field;
    const originJoin = publishPairs(field.originJoin, collection, through);
    return { ...field, name, originJoin, foreignJoin: publishPairs(field.foreignJoin, through, foreign) };
  }

  function publishPairs(pairs: JoinPairs, local: string, foreign: string): JoinPairs {
    return pairs.map((pair) => ({
      local: shownName(local, pair.local),
      foreign: shownName(foreign, pair.foreign),
    }));
  }
}

function namesWithSlash(collections: ModelView['collections']): readonly string[] {
  return [...collections.keys()].filter((name) => name.includes('/')).sort((a, b) => b.length - a.length);
}

function isChanged({ isRemoved, renames, removedFields }: Publication): boolean {
  return isRemoved || renames.size > 0 || removedFields.size > 0;
}
