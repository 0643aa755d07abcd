import fc from 'fast-check';
import { type Accesses, accessAt, columns, isFiltered, isReadAsItIs, relations } from './field-oracle.ts';
import type { AskedTool } from './mcp-request.ts';
import type { AskedRequest } from './shop-agent.ts';
import type { Name } from './shop-data.ts';

export const fieldKinds = [
  'list',
  'count',
  'csv',
  'xlsx',
  'get',
  'related',
  'values',
  'chart',
  'check',
  'tool',
] as const;
export type FieldKind = (typeof fieldKinds)[number];

/** A request of somebody, and the paths that it uses, from `root` on. */
export interface FieldRequest {
  readonly kind: FieldKind;
  readonly root: Name;
  /** Filtered, sorted, grouped or aggregated by. */
  readonly asked: readonly string[];
  /** Columns whose values it counts on. */
  readonly compared?: readonly string[];
  readonly shown: readonly string[];
  /** The columns of `root` that it writes. */
  readonly written: readonly string[];
  /** The relation that it names, and the collection that has it. */
  readonly through?: readonly [Name, string];
  readonly request: AskedRequest | { readonly tool: AskedTool };
}

const shownFields: Readonly<Record<Name, readonly string[]>> = {
  customers: columns.customers,
  orders: [...columns.orders, 'customerName', 'label', 'doubled'],
  lines: [...columns.lines, 'orderTotal'],
};
const askedFields: Readonly<Record<Name, readonly string[]>> = {
  customers: columns.customers,
  orders: [...columns.orders, 'customerName', 'doubled'],
  lines: [...columns.lines, 'orderTotal'],
};
const toOne: Readonly<Record<Name, string | undefined>> = { customers: undefined, orders: 'customer', lines: 'order' };
const words = ['Ada', 'Paris', 'paid', 'red', '10', 'A-1', 'name:Ada', 'customer.name:Ada', 'total:10', 'status:paid'];

/** The fields of a collection, and those behind its relations. */
function pathsFrom(root: Name, fields: typeof askedFields, isToMany: boolean): readonly string[] {
  const behind = Object.entries(relations[root])
    .filter(([relation]) => isToMany || relation === toOne[root])
    .flatMap(([relation, { to }]) => fields[to].map((field) => `${relation}:${field}`));
  return [...fields[root], ...fields[root], ...behind];
}

const isNumber = (path: string) => /(?:total|quantity|doubled|_id|orderTotal)$/i.test(path);

function conditionOn(root: Name) {
  const drawn = fc.record({
    field: fc.constantFrom(...pathsFrom(root, askedFields, true)),
    operator: fc.constantFrom('equal', 'not_equal', 'present', 'in'),
    text: fc.constantFrom('Ada', 'Paris', 'paid', 'A-1'),
    number: fc.constantFrom(1, 2, 3, 10, 20),
  });
  return drawn.map(({ field, operator, text, number }) => {
    const value = isNumber(field) ? number : text;
    if (operator === 'present') return { field, operator };
    return { field, operator, value: operator === 'in' ? [value] : value };
  });
}

/** Most requests use one thing that could be closed. */
const query = (root: Name) =>
  fc.record({
    filter: fc.option(conditionOn(root), { freq: 2, nil: undefined }),
    sort: fc.option(fc.constantFrom(...pathsFrom(root, askedFields, false)), { freq: 2, nil: undefined }),
    fields: fc.option(
      fc.uniqueArray(fc.constantFrom(...pathsFrom(root, shownFields, false)), { minLength: 1, maxLength: 2 }),
      {
        freq: 2,
        nil: undefined,
      },
    ),
    search: fc.option(fc.constantFrom(...words), { freq: 2, nil: undefined }),
  });

type Query = typeof query extends (root: Name) => fc.Arbitrary<infer Drawn> ? Drawn : never;

const roots = fc.constantFrom<Name>('customers', 'orders', 'orders', 'lines');
const ids = fc.integer({ min: 1, max: 4 });

type ReadKind = 'list' | 'count' | 'csv' | 'xlsx' | 'related';

function reading(kind: ReadKind, root: Name, id: number, drawn: Query): FieldRequest {
  const sort = kind === 'count' ? undefined : drawn.sort;
  const isFile = kind === 'csv' || kind === 'xlsx';
  const fields = isFile ? (drawn.fields ?? ['id']) : kind === 'count' ? undefined : drawn.fields;
  const { filter, search } = drawn;
  const parameters = new URLSearchParams({ timezone: 'UTC' });
  if (filter) parameters.set('filters', JSON.stringify(filter));
  if (sort) parameters.set('sort', sort.replace(':', '.'));
  if (search) parameters.set('search', search);
  if (search && id % 2 === 0) parameters.set('searchExtended', '1');
  if (isFile) parameters.set('header', (fields ?? []).map(() => 'Title').join(','));
  const parent = root === 'orders' ? (['customers', 'orders'] as const) : (['orders', 'lines'] as const);
  const through = kind === 'related' ? parent : undefined;
  const place = through ? `${through[0]}/${id}/relationships/${through[1]}` : root;
  const suffix = { list: '', related: '', count: '/count', csv: '.csv', xlsx: '.xlsx' }[kind];
  return {
    kind,
    root,
    asked: [filter?.field, sort].filter((path) => path !== undefined),
    shown: fields ?? [],
    written: [],
    ...(through ? { through } : {}),
    request: {
      url: `/service/${place}${suffix}?${parameters}`,
      headers: fields ? { 'service-projection': fields.join(',') } : {},
    },
  };
}

function one(kind: 'get' | 'values', root: Name, id: number, field: string): FieldRequest {
  const nothing = { kind, root, asked: [], shown: [], written: [] };
  if (kind === 'get') return { ...nothing, request: { url: `/service/${root}/${id}?timezone=UTC` } };
  const url = `/service/_internal/values/${root}?timezone=UTC&field=${field}`;
  return { ...nothing, asked: [field], request: { url } };
}

function chart(
  root: Name,
  group: string | undefined,
  measure: string | undefined,
  filter: Query['filter'],
): FieldRequest {
  return {
    kind: 'chart',
    root,
    asked: [group, measure, filter?.field].filter((path) => path !== undefined),
    shown: [],
    written: [],
    request: {
      url: `/service/stats/${root}?timezone=UTC`,
      body: {
        type: group === undefined ? 'Value' : 'Pie',
        aggregator: measure === undefined ? 'Count' : isNumber(measure) ? 'Sum' : 'Max',
        aggregateFieldName: measure ?? null,
        groupByFieldName: group ?? null,
        filter: filter ?? null,
      },
    },
  };
}

/** An update, or a deletion, that is checked and not made. */
function check(root: Name, id: number, written: string, seen: string | undefined): FieldRequest {
  const url = `/service/${root}/${id}?timezone=UTC&dryRun=true`;
  const common = { kind: 'check', root, shown: [] } as const;
  if (id === 1) return { ...common, asked: [], written: [], request: { method: 'DELETE', url } };
  const valueFor = (column: string) => (isNumber(column) ? 2 : 'paid');
  return {
    ...common,
    asked: [],
    compared: seen === undefined ? [] : [seen],
    written: [written],
    request: {
      method: 'PUT',
      url,
      body: {
        data: { attributes: { [written]: isNumber(written) ? 33 : 'Zoe' } },
        ...(seen === undefined ? {} : { meta: { ifMatch: { [seen]: valueFor(seen) } } }),
      },
    },
  };
}

function tool(root: Name, { filter, sort, fields, search }: Query): FieldRequest {
  const args = {
    collectionName: root,
    ...(filter ? { filters: filter } : {}),
    ...(sort ? { sort: { field: sort } } : {}),
    ...(fields ? { fields } : {}),
    ...(search ? { search } : {}),
  };
  return {
    kind: 'tool',
    root,
    asked: [filter?.field, sort].filter((path) => path !== undefined),
    shown: fields ?? [],
    written: [],
    request: { tool: { name: 'list', args } },
  };
}

/** A request of a kind. */
export function fieldRequest(kind: FieldKind): fc.Arbitrary<FieldRequest> {
  return roots.chain((drawn) => {
    const root = kind === 'related' && drawn === 'customers' ? 'orders' : drawn;
    const column = fc.constantFrom(...columns[root]);
    const path = fc.constantFrom(...pathsFrom(root, askedFields, false));
    const rarely = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { freq: 2, nil: undefined });
    switch (kind) {
      case 'get':
      case 'values':
        return fc.tuple(ids, column).map(([id, field]) => one(kind, root, id, field));
      case 'chart':
        return fc
          .tuple(rarely(path), rarely(path), rarely(conditionOn(root)))
          .map(([group, measure, filter]) => chart(root, group, measure, filter));
      case 'check':
        return fc.tuple(ids, column, rarely(column)).map(([id, written, seen]) => check(root, id, written, seen));
      case 'tool':
        return query(root).map((asked) => tool(root, asked));
      default:
        return fc.tuple(ids, query(root)).map(([id, asked]) => reading(kind, root, id, asked));
    }
  });
}

/** Whether a request may be answered, written down as the documents have it. */
export function mayAskFor(
  accesses: Accesses,
  { root, asked, compared = [], shown, written, through }: FieldRequest,
): boolean {
  const key = through && relations[through[0]][through[1]]?.key;
  if (key && !isFiltered(accessAt(accesses, key[0], key[1]))) return false;
  const isWritten = (column: string) => ['open', 'unfiltered'].includes(accessAt(accesses, root, column));
  return (
    asked.every((path) => isFiltered(accessAt(accesses, root, path))) &&
    compared.every((column) => isReadAsItIs(accessAt(accesses, root, column))) &&
    shown.every((path) => accessAt(accesses, root, path) !== 'hidden') &&
    written.every(isWritten)
  );
}
