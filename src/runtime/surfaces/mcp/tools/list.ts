import * as z from 'zod';
import { listAction } from '../../../activity/act-reporter.ts';
import { answerList } from './answer-list.ts';
import { collectionNameArgument, collectionOf } from './arguments.ts';
import { listArguments, listOutput, maxPageSize } from './list-arguments.ts';
import { defineTool, readingHints } from './tool.ts';

const { fields, filters, search, segment, deleted, pagination, cursor, timezone, maxBytes } = listArguments;

const input = z.strictObject({
  collectionName: collectionNameArgument,
  ...listArguments,
  fields: fields.describe('Columns and paths "relation:column". Default: the first 20 columns.'),
  filters: filters.describe(
    '{field, operator, value} or {aggregator: "And" | "Or", conditions: […]}. Operators: describeCollection. A path to many records asks for one that fits.',
  ),
  search: search.describe('Words, "phrases", -excluded, OR, field:value, relation.field:>=5.'),
  segment: segment.describe('Name of a saved filter.'),
  deleted: deleted.describe('Deleted records, where deletion marks them.'),
  pagination: pagination.describe(`Default size: 15, at most ${maxPageSize}.`),
  cursor: cursor.describe('page.nextCursor, with the same arguments.'),
  timezone: timezone.describe("IANA zone, for Today and the like. Default: the user's."),
  maxBytes: maxBytes.describe('Records beyond it are left out.'),
});

/** A page of the records of a collection, within the rights of the caller. */
export const listTool = defineTool({
  name: 'list',
  title: 'List records',
  description: 'Records of a collection: filtered, searched, sorted, in pages.',
  hints: readingHints,
  scope: 'mcp:read',
  input,
  output: listOutput,
  act: ({ collectionName, search, filters, segment }) => ({
    action: listAction(search, filters !== undefined || segment !== undefined),
    collection: collectionName,
  }),
  run: async ({ collectionName, ...args }, call) => answerList(args, collectionOf(call, collectionName), call),
});
