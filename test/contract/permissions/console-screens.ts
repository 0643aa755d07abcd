import fc from 'fast-check';
import type { Insights } from '#contracts/insights';
import type { VisibleCollection } from '#contracts/visible-schema';
import type { ConsoleCode, Parameters } from './console-code.ts';
import { type Accesses, columns } from './field-oracle.ts';
import { type FieldRequest, mayAskFor } from './field-requests.ts';
import { requestsPath } from './shop-agent.ts';
import { type Name, names } from './shop-data.ts';

export const screenKinds = [
  'collection',
  'list',
  'count',
  'related',
  'record',
  'picker',
  'suggestions',
  'chart',
  'explain',
  'why',
  'forecast',
  'history',
  'notes',
  'inbox',
  'approvals',
  'approval',
  'people',
  'insights',
] as const;
export type ScreenKind = (typeof screenKinds)[number];

/** A screen, and what somebody has typed into it or into its address. */
export interface Screen {
  readonly kind: ScreenKind;
  readonly root: Name;
  readonly id: string;
  /** May name what the person does not see: addresses are sent round. */
  readonly filter: { readonly field: string; readonly operator: string; readonly value?: unknown } | undefined;
  readonly sort: string | undefined;
  readonly search: string | undefined;
  readonly isExtended: boolean;
  /** Of a chart and of suggestions. */
  readonly field: string;
}

const toOne: Readonly<Record<Name, readonly [relation: string, to: Name] | undefined>> = {
  customers: undefined,
  orders: ['customer', 'customers'],
  lines: ['order', 'orders'],
};
const toMany: Readonly<Partial<Record<Name, readonly [relation: string, to: Name]>>> = {
  customers: ['orders', 'orders'],
  orders: ['lines', 'lines'],
};

function pathsFrom(root: Name): readonly string[] {
  const relation = toOne[root];
  const behind = relation ? columns[relation[1]].map((column) => `${relation[0]}:${column}`) : [];
  return [...columns[root], ...columns[root], ...behind];
}

const isNumber = (path: string) => /(?:total|quantity|_id)$/.test(path);
const words = ['Ada', 'Paris', 'paid', 'red', '10', 'name:Ada', 'customer.name:Ada', 'total:10', 'status:paid'];

export function screenOf(kind: ScreenKind): fc.Arbitrary<Screen> {
  // There are requests about orders only.
  const roots = kind === 'approval' ? (['orders'] as const) : ([...names, 'orders'] as const);
  return fc.constantFrom<Name>(...roots).chain((root) => {
    const path = fc.constantFrom(...pathsFrom(root));
    const sometimes = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { freq: 2, nil: undefined });
    return fc.record({
      kind: fc.constant(kind),
      root: fc.constant(root),
      id: fc.integer({ min: 1, max: 4 }).map(String),
      filter: sometimes(
        fc.record({ field: path, text: fc.constantFrom('Ada', 'Paris', 'paid'), number: fc.constantFrom(1, 10) }),
      ).map(
        (drawn) =>
          drawn && { field: drawn.field, operator: 'equal', value: isNumber(drawn.field) ? drawn.number : drawn.text },
      ),
      sort: sometimes(fc.constantFrom(...columns[root])),
      search: sometimes(fc.constantFrom(...words)),
      isExtended: fc.boolean(),
      field: fc.constantFrom(...columns[root]),
    });
  });
}

/** What a screen asks for, beyond what it shows of every record. */
export type Asked = Pick<FieldRequest, 'root' | 'asked' | 'through'>;

export function mayShow(accesses: Accesses, asked: Asked): boolean {
  return mayAskFor(accesses, { kind: 'list', shown: [], written: [], request: { url: '' }, ...asked });
}

/** Open a screen as the code of the console does it. Resolves to what it has, and to what it has asked for. */
export async function open(
  code: ConsoleCode,
  screen: Screen,
): Promise<{ readonly asked: Asked; readonly ask: () => Promise<unknown> }> {
  const { agent } = code;
  const { kind, root, id, search, sort, field } = screen;
  const schemaOf = (name: Name) =>
    Promise.resolve(code.askAgent(agent, ['_internal', 'schema', name])) as Promise<VisibleCollection>;
  const collection = await schemaOf(root);
  const filters = code.appliedFilters(screen.filter && JSON.stringify(screen.filter), collection);
  const parameters: Parameters = { filters, search, searchExtended: search && screen.isExtended ? '1' : undefined };
  const filtered = filters === undefined || !screen.filter ? [] : [screen.filter.field];
  const listed = { ...parameters, sort, 'page[size]': '30' };
  const asked = { root, asked: [...filtered, ...(sort === undefined ? [] : [sort])] };
  const shown = (of: VisibleCollection) => code.projection(code.projectionOf(of, code.columnsOf(of)));
  const of = (what: Asked, ask: () => unknown) => ({ asked: what, ask: async () => ask() });
  switch (kind) {
    case 'collection':
      return of({ root, asked: [] }, () => collection);
    case 'list':
      return of(asked, () => code.listRecords(agent, [root], listed, { headers: shown(collection) }));
    case 'count':
      return of({ root, asked: filtered }, () =>
        code.countRecords(agent, [root], parameters, new AbortController().signal),
      );
    case 'record':
      return of({ root, asked: [] }, () => code.getRecord(agent, root, id, { headers: shown(collection) }));
    case 'related': {
      const [relation, to] = toMany[root] ?? ['', undefined];
      if (to === undefined) return of({ root, asked: [] }, () => null);
      const related = await schemaOf(to);
      return of({ root: to, asked: [], through: [root, relation] }, () =>
        code.listRecords(agent, [root, id, 'relationships', relation], {}, { headers: shown(related) }),
      );
    }
    case 'picker': {
      const relation = collection.relations.find(({ name }) => name === toOne[root]?.[0]);
      if (!relation) return of({ root, asked: [] }, () => null);
      const to = relation.collection as Name;
      const chosen = await schemaOf(to);
      const paths = [...new Set([...chosen.primaryKey, relation.title])];
      return of({ root: to, asked: [] }, () =>
        code.listRecords(agent, [to], { search, 'page[size]': '30' }, { headers: code.projection(paths) }),
      );
    }
    case 'suggestions':
      // Only texts are completed by what somebody types.
      return of({ root, asked: [field] }, () =>
        code.askAgent(agent, ['_internal', 'values', root], {
          field,
          search: isNumber(field) ? undefined : search?.slice(0, 1),
        }),
      );
    case 'chart': {
      const body = {
        type: 'Pie',
        aggregator: 'Count',
        sourceCollectionName: root,
        aggregateFieldName: null,
        groupByFieldName: field,
        filter: screen.filter ?? null,
      };
      return of({ root, asked: [field, ...(screen.filter ? [screen.filter.field] : [])] }, async () => {
        const answer = await code.askAgent(agent, ['stats', root], {}, { method: 'POST', body });
        return (answer as { data: { attributes: unknown } }).data.attributes;
      });
    }
    case 'explain':
      return of(asked, () =>
        code.askAgent(agent, ['_internal', 'explain', root], listed, { headers: shown(collection) }),
      );
    case 'why':
      return of({ root, asked: [] }, () => code.askAgent(agent, ['_internal', 'explain-rights', root]));
    case 'history':
      return of({ root, asked: [] }, () => code.askAgent(agent, ['_internal', 'history', root, id]));
    case 'notes':
      return of({ root, asked: [] }, () => code.askAgent(agent, ['_internal', 'notes', root, id]));
    case 'inbox':
      return of({ root, asked: [] }, () => code.askAgent(agent, ['_internal', 'notes']));
    case 'approvals':
      return of({ root, asked: [] }, () => code.ask(requestsPath));
    case 'approval':
      return of({ root, asked: [] }, () => code.askAgent(agent, ['_internal', 'approvals', id]));
    case 'people':
      return of({ root, asked: [] }, () => code.askAgent(agent, ['_internal', 'notes', root, id, 'people']));
    case 'insights':
      return of({ root, asked: [] }, async () => {
        // The clock is not that of the other world.
        const {
          queries: _queries,
          since: _since,
          ...insights
        } = (await code.askAgent(agent, ['_internal', 'insights'])) as Insights;
        return insights;
      });
    case 'forecast': {
      const attributes = { ids: [id], collection_name: root, all_records: false };
      return of({ root, asked: [] }, () =>
        code.askAgent(agent, [root], { dryRun: 'true' }, { method: 'DELETE', body: { data: { attributes } } }),
      );
    }
  }
}
