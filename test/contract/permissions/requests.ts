import fc from 'fast-check';
import { type Name, names, relations, tellingColumns } from './shop-data.ts';

/** A request, as the oracle looks at it and as it is sent. */
export interface ShopRequest {
  readonly kind: 'list' | 'count' | 'csv' | 'get' | 'related' | 'chart' | 'form' | 'stats';
  /** The collection whose records are answered with. */
  readonly root: Name;
  /** The paths that it filters, sorts, groups and aggregates by, relations in them or not. */
  readonly asked: readonly string[];
  /** The paths whose values it is answered with; the keys of the records on the way come along. */
  readonly shown: readonly string[];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const values = ['Ada', 'Paris', 'A-1', 'paid', 'red', 10, 3] as const;
const words = ['Ada', 'Paris', 'paid', 'red', '10', 'A-1', '"A-1" OR Paris'];
const toOne: Readonly<Record<Name, readonly string[]>> = { customers: [], orders: ['customer'], lines: ['order'] };

/** Paths of at most two relations that end on a column that says something. */
function pathsFrom(root: Name, follow: (name: Name) => readonly string[], depth = 2): string[] {
  const own = [...tellingColumns[root]];
  if (depth === 0) return own;
  return [
    ...own,
    ...follow(root).flatMap((relation) =>
      // What passes through a collection needs no right to it, so a path says which of its records there are.
      pathsFrom(relations[root][relation] as Name, (name) => (name === 'lines' ? [] : follow(name)), depth - 1).map(
        (path) => `${relation}:${path}`,
      ),
    ),
  ];
}

const anywhere = (name: Name) => Object.keys(relations[name]);
const rootArbitrary = fc.constantFrom(...names);
const idArbitrary = fc.integer({ min: 1, max: 4 });

function filterOn(root: Name) {
  return fc.record({
    field: fc.constantFrom(...pathsFrom(root, anywhere)),
    operator: fc.constantFrom('equal', 'not_equal', 'present', 'missing', 'in'),
    value: fc.constantFrom(...values),
  });
}

/** Whatever narrows, orders and shows records of a collection. */
function queryOn(root: Name) {
  const direct = pathsFrom(root, (name) => toOne[name]);
  return fc.record(
    {
      filter: filterOn(root),
      sort: fc.constantFrom(...direct),
      projection: fc.uniqueArray(fc.constantFrom(...direct), { minLength: 1, maxLength: 3 }),
      search: fc.oneof(
        fc.constantFrom(...words),
        fc
          .tuple(fc.constantFrom(...pathsFrom(root, anywhere)), fc.constantFrom(...words))
          .map(([path, word]) => `${path.replaceAll(':', '.')}:${word}`),
      ),
      isExtended: fc.boolean(),
    },
    { requiredKeys: [] },
  );
}

interface Query {
  readonly filter?: { readonly field: string; readonly operator: string; readonly value: unknown };
  readonly sort?: string;
  readonly projection?: readonly string[];
  readonly search?: string;
  readonly isExtended?: boolean;
}

function sent({ filter, sort, projection, search, isExtended }: Query) {
  const parameters = new URLSearchParams({ timezone: 'UTC' });
  if (filter) parameters.set('filters', JSON.stringify(withArgument(filter)));
  if (sort) parameters.set('sort', sort.replace(':', '.'));
  if (search) parameters.set('search', search);
  if (search && isExtended) parameters.set('searchExtended', '1');
  return { parameters, headers: projection ? { 'service-projection': projection.join(',') } : {} };
}

/** The operators that take no value are sent without one, `in` with a list. */
function withArgument({ field, operator, value }: { field: string; operator: string; value: unknown }) {
  const isNumeric = /(^|:)(total|quantity)$/.test(field);
  const typed = isNumeric ? Number(typeof value === 'number' ? value : 10) : String(value);
  if (operator === 'present' || operator === 'missing') return { field, operator };
  return { field, operator, value: operator === 'in' ? [typed] : typed };
}

const ownColumn = (root: Name) => tellingColumns[root][0] ?? 'id';

const reading = (kind: 'list' | 'count' | 'csv', root: Name, id: number | undefined) =>
  queryOn(root).map((drawn: Query): ShopRequest => {
    // An export names its columns, with a title for each.
    const query = kind === 'csv' ? { projection: [ownColumn(root)], ...drawn } : drawn;
    const parent = root === 'orders' ? `customers/${id}/relationships/orders` : `orders/${id}/relationships/lines`;
    const place = id === undefined || root === 'customers' ? root : parent;
    const { parameters, headers } = sent(query);
    if (kind === 'csv') parameters.set('header', (query.projection ?? []).map(() => 'Title').join(','));
    const asked = [query.filter?.field, kind === 'count' ? undefined : query.sort];
    const suffix = { list: '', count: '/count', csv: '.csv' }[kind];
    return {
      kind: id === undefined ? kind : 'related',
      root,
      asked: asked.filter((path) => path !== undefined),
      shown: kind === 'count' ? [] : (query.projection ?? []),
      url: `/service/${place}${suffix}?${parameters}`,
      headers,
    };
  });

const one = (kind: 'get' | 'chart' | 'form', root: Name, id: number): ShopRequest => {
  const common = { kind, root, asked: [], shown: [], headers: {} };
  if (kind === 'get') return { ...common, url: `/service/${root}/${id}?timezone=UTC` };
  if (kind === 'chart') {
    return { ...common, root: 'orders', url: `/service/_charts/orders/Label?timezone=UTC&record_id=${id}` };
  }
  const url = '/service/_actions/orders/0/ship/hooks/load?timezone=UTC';
  return { ...common, root: 'orders', url, body: { data: { attributes: { ids: [String(id)] } } } };
};

/** The kinds of requests that few people try in vain. */
export const usualKinds = ['form', 'related count', 'related csv'] as const;

export type UsualKind = (typeof usualKinds)[number];

export function usualRequest(kind: UsualKind): fc.Arbitrary<ShopRequest> {
  if (kind === 'form') return idArbitrary.map((id) => one('form', 'orders', id));
  const read = kind === 'related count' ? 'count' : 'csv';
  return fc
    .tuple(fc.constantFrom('orders', 'lines'), idArbitrary)
    .chain(([root, id]) => reading(read, root as Name, id));
}

/** A chart over the records of a collection. */
function statsOn(root: Name): fc.Arbitrary<ShopRequest> {
  const direct = fc.constantFrom(...pathsFrom(root, (name) => toOne[name]));
  const drawn = fc.record(
    { filter: filterOn(root), group: direct, field: direct, aggregator: fc.constantFrom('Count', 'Max', 'Min') },
    { requiredKeys: ['aggregator'] },
  );
  return drawn.map(({ filter, group, field, aggregator }): ShopRequest => {
    const isCount = aggregator === 'Count';
    const measured = isCount ? field : (field ?? ownColumn(root));
    return {
      kind: 'stats',
      root,
      asked: [filter?.field, group, measured].filter((path) => path !== undefined),
      shown: [],
      url: `/service/stats/${root}?timezone=UTC`,
      headers: {},
      body: {
        type: group ? 'Pie' : 'Value',
        aggregator,
        aggregateFieldName: measured ?? null,
        groupByFieldName: group ?? null,
        filter: filter ? withArgument(filter) : null,
      },
    };
  });
}

/** Customers ranked by their orders, or orders by their lines: what is aggregated is the collection at the other end. */
const ranking: fc.Arbitrary<ShopRequest> = fc
  .constantFrom(['customers', 'orders', 'customer'] as const, ['orders', 'lines', 'order'] as const)
  .map(([ranked, root, back]) => ({
    kind: 'stats',
    root,
    asked: [`${back}:${ownColumn(ranked)}`],
    shown: [],
    url: `/service/stats/${ranked}?timezone=UTC`,
    headers: {},
    body: {
      type: 'Leaderboard',
      aggregator: 'Count',
      labelFieldName: ownColumn(ranked),
      relationshipFieldName: root,
    },
  }));

export const requestArbitrary: fc.Arbitrary<ShopRequest> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.constantFrom('list', 'count', 'csv'),
        rootArbitrary,
        fc.option(idArbitrary, { freq: 3, nil: undefined }),
      )
      .chain(([kind, root, id]) => reading(kind as 'list', root, id)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('get', 'chart', 'form'), rootArbitrary, idArbitrary)
      .map(([kind, root, id]) => one(kind as 'get', root, id)),
  },
  { weight: 2, arbitrary: rootArbitrary.chain(statsOn) },
  { weight: 1, arbitrary: ranking },
);
