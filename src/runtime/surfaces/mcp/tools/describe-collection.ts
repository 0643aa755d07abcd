import * as z from 'zod';
import { invalidRequest } from '#kernel/errors/request-errors';
import { rowsThatFit } from '../render/answer-text.ts';
import { collectionsFor } from '../render/collection-summary.ts';
import { collectionNameArgument, collectionOf } from './arguments.ts';
import { collectionDescription, describeCollection } from './collection-description.ts';
import { visibleCollections } from './permitted-collections.ts';
import { defineTool, readingHints, type ToolCall } from './tool.ts';

/** How much all names take at most. */
const maxNameBytes = 48_000;

const input = z.strictObject({
  collectionName: collectionNameArgument.optional().describe('Without it: the names of the collections.'),
  search: z.string().min(1).max(200).optional().describe('Words of such names.'),
});

const output = collectionDescription.extend({ collections: z.array(z.string()).optional() });

type Answer = z.input<typeof output>;

/** Describes a collection. An assistant calls it first when it wants to query the collection. */
export const describeCollectionTool = defineTool({
  name: 'describeCollection',
  title: 'Describe a collection',
  description:
    'Fields, filter operators, relations, segments and actions of a collection. Call it first, and use its names.',
  hints: readingHints,
  scope: 'mcp:read',
  input,
  output,
  act: ({ collectionName }) => ({ action: 'describeCollection', collection: collectionName }),
  run: async ({ collectionName, search }, call) => {
    if (collectionName === undefined) return nameCollections(search, call);
    if (search === undefined) return describeCollection(collectionOf(call, collectionName), call);
    throw invalidRequest('A collection is found by "collectionName" or by "search".', 'Leave out one of the two.');
  },
});

/** The names of the collections that the caller may browse. */
async function nameCollections(search: string | undefined, call: ToolCall): Promise<Answer> {
  const visible = await visibleCollections(call);
  const found = search === undefined ? visible : collectionsFor(search, visible);
  const names = found.map(({ name }) => name);
  const collections = rowsThatFit(names, maxNameBytes);
  return { collections: [...collections], ...(collections.length < names.length ? { truncated: true } : {}) };
}
