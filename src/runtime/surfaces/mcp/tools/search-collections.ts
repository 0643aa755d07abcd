import { z } from 'zod';
import { nearestName } from '#kernel/text/nearest-name';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { collectionsOutput, detailArgument, summaryOf } from './collection-summary.ts';
import { defineTool, readingHints } from './tool.ts';
import { visibleCollections } from './visible-collections.ts';

const maxFound = 50;

const input = z.strictObject({
  query: z.string().min(1).max(200).describe('Words of names of collections, fields or relations.'),
  detail: detailArgument,
  limit: z.int().min(1).max(maxFound).default(10),
});

/** The collections that the caller may browse and that have the words in their names. */
export const searchCollectionsTool = defineTool({
  name: 'searchCollections',
  title: 'Search collections',
  description: 'Collections that you may read, found by words in their names and in those of their fields. Best first.',
  hints: readingHints,
  scope: 'mcp:read',
  input,
  output: collectionsOutput,
  act: () => ({ action: 'describeCollection', collection: undefined }),
  run: async ({ query, detail, limit }, call) => {
    const visible = await visibleCollections(call);
    const names = new Set(visible.map(({ name }) => name));
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = visible
      .map((collection) => ({ collection, rank: rankOf(collection, words, names) }))
      .filter(({ rank }) => rank > 0)
      .toSorted((one, other) => other.rank - one.rank)
      .map(({ collection }) => summaryOf(collection, detail, names));
    const collections = found.slice(0, limit);
    return { collections, total: found.length, ...(found.length > limit ? { truncated: true } : {}) };
  },
});

/** How well a collection fits, 0 for not at all: every word has to be somewhere; the name of the collection counts most. */
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
