import type { JoinPairs, RelationSchema } from '../query/collection-schema.ts';
import {
  type CompiledCollection,
  type CompiledField,
  type CompiledModel,
  isValueField,
  type ModelView,
} from './compiled-model.ts';
import { createPublishedNames } from './published-names.ts';

/** What one collection shows of itself. */
export interface Publication {
  readonly isRemoved: boolean;
  /** New names by the original ones. */
  readonly renames: ReadonlyMap<string, string>;
  readonly removedFields: ReadonlySet<string>;
}

const nothingChanged: Publication = { isRemoved: false, renames: new Map(), removedFields: new Set() };

/** The model that surfaces see: fields renamed, and what was removed left out with the relations that need it. */
export function publishModel(
  original: ModelView,
  publications: ReadonlyMap<string, Publication>,
  charts: CompiledModel['charts'] = new Map(),
): CompiledModel {
  const publicationOf = (name: string) => publications.get(name) ?? nothingChanged;
  const isShown = (collection: string, field: string) => !publicationOf(collection).removedFields.has(field);
  const shownName = (collection: string, field: string) => publicationOf(collection).renames.get(field) ?? field;

  // Names and relations reach into other collections: either everything is as it was, or all of it is gone through.
  const isUnchanged = [...publications.values()].every(
    ({ isRemoved, renames, removedFields }) => !isRemoved && renames.size === 0 && removedFields.size === 0,
  );
  const collections = new Map<string, CompiledCollection>();
  for (const [name, collection] of original.collections) {
    if (publicationOf(name).isRemoved) continue;
    if (isUnchanged) {
      collections.set(name, collection);
      continue;
    }
    const fields = [...collection.fields.values()].flatMap((field) => {
      if (!isShown(name, field.name) || (!isValueField(field) && !isRelationShown(name, field))) return [];
      const published = publishField(name, field);
      return [[published.name, published] as const];
    });
    collections.set(name, {
      ...collection,
      fields: new Map(fields),
      primaryKey: collection.primaryKey.map((key) => shownName(name, key)),
      validations: byShownName(name, collection.validations),
      binaryModes: byShownName(name, collection.binaryModes),
    });
  }
  const namesWithSlash = [...collections.keys()].filter((name) => name.includes('/'));
  namesWithSlash.sort((a, b) => b.length - a.length);
  return { collections, original, names: namesOf(), charts, namesWithSlash };

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
    if (field.kind === 'column') return { ...field, name };
    if (isValueField(field)) return { ...field, name, column: { ...field.column, name } };
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

  function namesOf() {
    const named = [...collections].map(([name, { fields }]) => {
      const renames = [...publicationOf(name).renames].filter(([old, current]) => old !== current);
      const relations = [...fields.values()].flatMap((field) =>
        isValueField(field) ? [] : [[field.name, field] as const],
      );
      const originals = new Map(renames.map(([old, current]) => [current, old]));
      return [name, { originals, relations: new Map(relations) }] as const;
    });
    return createPublishedNames(new Map(named));
  }
}
