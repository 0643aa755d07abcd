import type { JoinPairs } from '../query/collection-schema.ts';
import { type CompiledCollection, isValueField, type ModelView } from './compiled-model.ts';

/** Columns of a collection (`local`) that name a record of another one, by columns of that one (`foreign`). */
export interface LinkKey {
  readonly foreignCollection: string;
  readonly join: JoinPairs;
}

/** The keys of a collection by which a relation leads to one record, whichever side declares it; each once. */
export function linkKeysOf(model: ModelView, collection: CompiledCollection): readonly LinkKey[] {
  const found = [...model.collections.values()].flatMap((owner) => keysBetween(owner, collection));
  return [...new Map(found.map((key) => [identityOf(key), key])).values()];
}

/** The keys of `collection` that relations of `owner` are made of. */
function keysBetween(owner: CompiledCollection, collection: CompiledCollection): LinkKey[] {
  const toOwner = (join: JoinPairs): LinkKey[] =>
    isPrimaryKey(owner, join) ? [{ foreignCollection: owner.name, join: reversed(join) }] : [];
  return [...owner.fields.values()].flatMap((field) => {
    if (isValueField(field)) return [];
    if (field.kind === 'ManyToMany') {
      if (field.throughCollection !== collection.name) return [];
      return [...toOwner(field.originJoin), { foreignCollection: field.foreignCollection, join: field.foreignJoin }];
    }
    if (field.kind !== 'ManyToOne') return field.foreignCollection === collection.name ? toOwner(field.join) : [];
    return owner === collection ? [{ foreignCollection: field.foreignCollection, join: field.join }] : [];
  });
}

/** Other columns may be the same in many records, so a value of them names none. */
function isPrimaryKey({ primaryKey }: CompiledCollection, join: JoinPairs): boolean {
  return join.length === primaryKey.length && join.every(({ local }) => primaryKey.includes(local));
}

function reversed(join: JoinPairs): JoinPairs {
  return join.map(({ local, foreign }) => ({ local: foreign, foreign: local }));
}

function identityOf({ foreignCollection, join }: LinkKey): string {
  const pairs = join.map(({ local, foreign }) => [local, foreign]).sort();
  return JSON.stringify([foreignCollection, pairs]);
}
