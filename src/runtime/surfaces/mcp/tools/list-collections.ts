import * as z from 'zod';
import { maxBytesArgument, rowsThatFit } from '../render/answer-text.ts';
import { collectionsOutput, detailArgument, summaryOf } from '../render/collection-summary.ts';
import { visibleCollections } from './permitted-collections.ts';
import { defineTool, readingHints } from './tool.ts';

const input = z.strictObject({ detail: detailArgument, maxBytes: maxBytesArgument });

/** The collections that the caller may browse. */
export const listCollectionsTool = defineTool({
  name: 'listCollections',
  title: 'List collections',
  description: 'The collections that you may read: their names, or a summary with fields and relations.',
  hints: readingHints,
  scope: 'mcp:read',
  input,
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
