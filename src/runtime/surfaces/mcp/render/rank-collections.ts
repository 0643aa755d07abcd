import { nearestName } from '#kernel/text/nearest-name';
import type { CompiledCollection } from '../../../model/compiled-model.ts';

/**
 * The collections that have every word of a query in their name or in those of their fields, best first.
 *
 * @param visible Those that the caller may see; relations to others do not count.
 */
export function collectionsFor(query: string, visible: readonly CompiledCollection[]): CompiledCollection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const names = new Set(visible.map(({ name }) => name));
  return visible
    .map((collection) => ({ collection, rank: rankOf(collection, words, names) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ collection }) => collection);
}

/** How well a collection fits, 0 for not at all; its own name counts most. */
function rankOf({ name, fields }: CompiledCollection, words: readonly string[], visible: ReadonlySet<string>): number {
  const collectionName = name.toLowerCase();
  const fieldNames = [...fields.values()]
    .filter((field) => !('foreignCollection' in field) || visible.has(field.foreignCollection))
    .map((field) => field.name.toLowerCase());
  const ranks = words.map((word) => {
    if (collectionName === word) return 8;
    if (collectionName.includes(word)) return 4;
    if (nearestName(word, [collectionName]) !== undefined) return 2;
    return fieldNames.some((field) => field.includes(word)) ? 1 : 0;
  });
  return ranks.includes(0) ? 0 : ranks.reduce<number>((sum, rank) => sum + rank, 0);
}
