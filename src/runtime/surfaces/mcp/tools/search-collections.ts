import * as z from 'zod';
import { collectionsFor, collectionsOutput, detailArgument, summaryOf } from '../render/collection-summary.ts';
import { visibleCollections } from './permitted-collections.ts';
import { defineTool, readingHints } from './tool.ts';

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
    const found = collectionsFor(query, visible).map((collection) => summaryOf(collection, detail, names));
    const collections = found.slice(0, limit);
    return { collections, total: found.length, ...(found.length > limit ? { truncated: true } : {}) };
  },
});
