import * as z from 'zod';
import { invalidRequest } from '#kernel/errors/request-errors';
import { maxBytesArgument, rowsThatFit } from '../render/answer-text.ts';
import { collectionsFor, collectionsOutput, detailArgument, summaryOf } from '../render/collection-summary.ts';
import { collectionNameArgument, collectionOf } from './arguments.ts';
import { collectionDescription, describeCollection } from './collection-description.ts';
import { visibleCollections } from './permitted-collections.ts';
import { defineTool, readingHints, type ToolCall } from './tool.ts';

const listCollectionsInput = z.strictObject({ detail: detailArgument, maxBytes: maxBytesArgument });

/** The collections that the caller may browse. */
export const listCollectionsTool = defineTool({
  name: 'listCollections',
  title: 'List collections',
  description: 'The collections that you may read: names, or a summary with fields and relations.',
  hints: readingHints,
  scope: 'mcp:read',
  input: listCollectionsInput,
  output: collectionsOutput,
  act: () => ({ action: 'describeCollection', collection: undefined }),
  run: async ({ detail, maxBytes }, call) => {
    const visible = await visibleCollections(call);
    const names = new Set(visible.map(({ name }) => name));
    const all = visible.map((collection) => summaryOf(collection, detail, names));
    const collections = rowsThatFit(all, maxBytes);
    const isTruncated = collections.length < all.length;
    return { collections: [...collections], total: all.length, ...(isTruncated ? { truncated: true } : {}) };
  },
});

const maxFound = 50;

const searchCollectionsInput = z.strictObject({
  query: z.string().min(1).max(200).describe('Words of names of collections, fields or relations.'),
  detail: detailArgument,
  limit: z.int().min(1).max(maxFound).default(10),
});

/** The collections that the caller may browse and that have the words in their names. */
export const searchCollectionsTool = defineTool({
  name: 'searchCollections',
  title: 'Search collections',
  description: 'Collections found by words in their names and those of their fields. Best first.',
  hints: readingHints,
  scope: 'mcp:read',
  input: searchCollectionsInput,
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

/** How much all names take at most. */
const maxNameBytes = 48_000;

const describeCollectionInput = z.strictObject({
  collectionName: collectionNameArgument.optional().describe('Without it: the names of the collections.'),
  search: z.string().min(1).max(200).optional().describe('Words of such names.'),
});

const describeCollectionOutput = collectionDescription.extend({ collections: z.array(z.string()).optional() });

type DescribeCollectionAnswer = z.input<typeof describeCollectionOutput>;

/** Describes a collection. An assistant calls it first when it wants to query the collection. */
export const describeCollectionTool = defineTool({
  name: 'describeCollection',
  title: 'Describe a collection',
  description: 'Fields, operators, relations, segments and actions of a collection. Call it first, and use its names.',
  hints: readingHints,
  scope: 'mcp:read',
  input: describeCollectionInput,
  output: describeCollectionOutput,
  act: ({ collectionName }) => ({ action: 'describeCollection', collection: collectionName }),
  run: async ({ collectionName, search }, call) => {
    if (collectionName === undefined) return nameCollections(search, call);
    if (search === undefined) return describeCollection(collectionOf(call, collectionName), call);
    throw invalidRequest('A collection is found by "collectionName" or by "search".', 'Leave out one of the two.');
  },
});

/** The names of the collections that the caller may browse. */
async function nameCollections(search: string | undefined, call: ToolCall): Promise<DescribeCollectionAnswer> {
  const visible = await visibleCollections(call);
  const found = search === undefined ? visible : collectionsFor(search, visible);
  const names = found.map(({ name }) => name);
  const collections = rowsThatFit(names, maxNameBytes);
  return { collections: [...collections], ...(collections.length < names.length ? { truncated: true } : {}) };
}
