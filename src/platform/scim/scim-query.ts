import * as z from 'zod';
import type { WantedPage } from './filter-query.ts';
import { messageOf, read } from './read-resource.ts';
import { parseFilter } from './scim-filter.ts';
import { type Projection, projectionOf } from './scim-resources.ts';

/** The most resources of one page. */
export const mostOfPage = 200;

/** What a client wants of a list. */
export interface ScimQuery extends Omit<WantedPage, 'isOfSeveralKinds'> {
  readonly projection: Projection;
}

const index = z.coerce.number().int();
/** In an address, commas separate names. */
const names = z.union([
  z
    .string()
    .max(2000)
    .transform((text) => text.split(',')),
  z.array(z.string().max(500)).max(100),
]);
const querySchema = z.object({
  filter: z.string().nullish(),
  sortby: z.string().max(500).nullish(),
  sortorder: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['ascending', 'descending']))
    .nullish(),
  startindex: index.default(1),
  count: index.default(mostOfPage),
  attributes: names.nullish(),
  excludedattributes: names.nullish(),
});

const searchSchemaId = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
const searchSchema = querySchema.extend({ schemas: messageOf(searchSchemaId) });

/** @param input the parameters of an address. A place before the first one counts as the first one, and a negative count as 0. */
export function readQuery(input: unknown): ScimQuery {
  return queryOf(read(querySchema, input));
}

/** The body of `POST …/.search` (RFC 7644, 3.4.3). */
export function readSearch(body: unknown): ScimQuery {
  return queryOf(read(searchSchema, body));
}

function queryOf({ filter, sortby, sortorder, startindex, count, ...query }: z.infer<typeof querySchema>): ScimQuery {
  return {
    filter: typeof filter === 'string' ? parseFilter(filter) : undefined,
    sort: sortby ? { by: sortby, isDescending: sortorder === 'descending' } : undefined,
    startIndex: Math.max(1, startindex),
    count: Math.min(Math.max(0, count), mostOfPage),
    projection: projectionOf(query.attributes ?? [], query.excludedattributes ?? []),
  };
}
