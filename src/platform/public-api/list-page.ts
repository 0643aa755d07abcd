import type { FastifyReply, FastifyRequest } from 'fastify';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Cursors, Order } from './cursor.ts';

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly order?: Order | undefined;
}

/** Where a page begins, and which way it is read. */
interface PageStart {
  readonly order: Order;
  readonly direction: Order;
  readonly after: number | undefined;
  /** Whether the client uses cursors: its pages may be short where a search takes long. */
  readonly isByCursor: boolean;
}

export interface PageRows<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  /** The place behind which the next page begins. */
  readonly last: number | undefined;
}

export interface PageOptions<Row> {
  /** Id of what is listed. */
  readonly list: string;
  readonly query: PageQuery;
  readonly defaultOrder: Order;
  readonly cursors: Cursors;
  readonly positionOf: (row: Row) => number;
  readonly read: (start: PageStart) => Promise<PageRows<Row>>;
}

/**
 * A page with the cursors of its neighbours, which the header `Link` mirrors. A page behind the end gives its own cursor again, so
 * that a client may wait there for what comes.
 */
export async function readPage<Row>(
  request: FastifyRequest,
  reply: FastifyReply,
  { list, query, defaultOrder, cursors, positionOf, read }: PageOptions<Row>,
) {
  const filters = filtersOf(request);
  const place = query.cursor === undefined ? undefined : cursors.read(query.cursor, { list, filters });
  const order = place?.order ?? query.order ?? defaultOrder;
  const direction = place?.direction ?? order;
  const isByCursor = query.cursor !== undefined || query.order !== undefined;
  const found = await read({ order, direction, after: place?.position, isByCursor });
  const isBackwards = direction !== order;
  const rows = isBackwards ? found.rows.toReversed() : found.rows;
  const cursorAt = (position: number | undefined, towards: Order) =>
    position === undefined ? null : cursors.write({ list, order, direction: towards, position, filters });
  const edge = found.last ?? place?.position;
  const [first, last] = [rows[0], rows.at(-1)];
  const ahead = isBackwards ? (last ? positionOf(last) : edge) : edge;
  const behind = isBackwards ? edge : first ? positionOf(first) : edge;
  const nextCursor = cursorAt(ahead, order);
  const prevCursor = cursorAt(behind, order === 'asc' ? 'desc' : 'asc');
  const hasRowsBehind = isBackwards ? found.hasMore : place !== undefined;
  const links = [
    ...(nextCursor !== null && (found.hasMore || isBackwards) ? [linkTo(request, nextCursor, 'next')] : []),
    ...(prevCursor !== null && hasRowsBehind ? [linkTo(request, prevCursor, 'prev')] : []),
  ];
  if (links.length > 0) reply.header('link', links.join(', '));
  return { rows, hasMore: found.hasMore, nextCursor, prevCursor };
}

/** Everything that decides what is on the pages, in a canonical form. */
export function filtersOf({ query }: FastifyRequest): string {
  const { cursor, limit, order, expand, after, max, follow, format, ...filters } = query as Record<string, unknown>;
  return canonicalJson(filters);
}

function linkTo({ url }: FastifyRequest, cursor: string, rel: 'next' | 'prev'): string {
  const [path = '', search = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(search);
  parameters.set('cursor', cursor);
  parameters.delete('order');
  return `<${path}?${parameters}>; rel="${rel}"`;
}
