import * as z from 'zod';
import { maxBytesArgument } from '../render/answer-text.ts';
import { timezoneArgument } from './arguments.ts';
import { readJson } from './sent-arguments.ts';

export const maxPageSize = 100;
const maxPages = 1_000_000;

/** Columns, and paths `relation:column`. */
const fieldsArgument = z.array(z.string().min(1)).min(1).max(200).optional();

/** A condition, or its JSON. Its form is checked when it is read, so that its schema needs no recursion. */
const filtersArgument = z.union([z.record(z.string(), z.unknown()), z.string()]).optional();

const sortedBy = z.strictObject({ field: z.string().min(1), ascending: z.boolean().default(true) });

/** The JSON text of one field. */
export const sortClause = z.string().transform(readJson).pipe(sortedBy);

/** One field, or several as the REST API has them: `-total,customer:name`. */
const sortArgument = z.union([sortedBy, z.string()]).optional();

/** The arguments that select records of a collection. */
export const selectionArguments = {
  filters: filtersArgument,
  search: z.string().optional(),
  shouldSearchInRelation: z.boolean().default(false),
  segment: z.string().optional(),
};

/** The arguments of a list of records, without their descriptions: one tool gives those. */
export const listArguments = {
  fields: fieldsArgument,
  ...selectionArguments,
  deleted: z.enum(['only', 'with']).optional(),
  sort: sortArgument,
  pagination: z
    .strictObject({
      size: z.int().min(1).max(maxPageSize).optional(),
      number: z.int().min(1).max(maxPages).optional(),
    })
    .optional(),
  cursor: z.string().optional(),
  enableCount: z.boolean().default(false),
  timezone: timezoneArgument,
  maxBytes: maxBytesArgument,
};

const listArgumentsSchema = z.object(listArguments);

export type ListArguments = z.output<typeof listArgumentsSchema>;
export type SelectionArguments = Pick<ListArguments, keyof typeof selectionArguments>;

/** A page of records. */
export const listOutput = z.object({
  records: z.array(z.looseObject({})),
  page: z.object({
    number: z.int(),
    size: z.int(),
    returned: z.int(),
    hasMore: z.boolean(),
    truncated: z.boolean().optional(),
    nextCursor: z.string().optional(),
  }),
  totalCount: z.int().optional(),
  notes: z.array(z.string()).optional(),
});
