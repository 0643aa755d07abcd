import fc from 'fast-check';
import type { Agent } from '#runtime/customizer/agent';
import type { Rights } from './rights.ts';
import type { AskedRequest } from './shop-agent.ts';
import type { Name, Shop } from './shop-data.ts';
import { type Rows, visible } from './write-oracle.ts';

export const changeKinds = ['link', 'unlink', 'unlink and delete', 'delete', 'delete selection', 'list item'] as const;

/** A change of records that are there. */
export interface ShopChange {
  readonly kind: (typeof changeKinds)[number];
  /** Whose records are changed. */
  readonly root: Name;
  /** The record whose relation is changed. */
  readonly parent: number;
  readonly ids: readonly number[];
  /** For the list of an order. */
  readonly item: string;
}

/** Where the records of a collection are linked from. */
const links = {
  orders: { from: 'customers', key: 'customer_id' },
  lines: { from: 'orders', key: 'order_id' },
} as const;

/** The list of an order: the words of its status. */
export function addTags(agent: Agent): void {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addField('tags', {
        columnType: ['String'],
        dependencies: ['status'],
        getValues: (records) => records.map(({ status }) => String(status).split(' ')),
      })
      .replaceFieldWriting('tags', (tags) => ({ status: (tags as string[]).join(' ') })),
  );
}

// The last one is nobody's.
const someId = fc.integer({ min: 1, max: 5 });
/** Pairs of a record and one that belongs to it, and of records that do not. */
const linked = {
  orders: fc.constantFrom([1, 1], [1, 2], [2, 3]),
  lines: fc.constantFrom([1, 1], [1, 2], [3, 3]),
} as const;
const apart = {
  orders: fc.constantFrom([1, 3], [1, 4], [2, 1], [2, 2], [2, 4], [3, 1], [3, 2], [3, 3], [3, 4]),
  lines: fc.constantFrom([1, 3], [2, 1], [2, 3], [3, 1], [3, 2], [4, 2]),
} as const;
const anyPair = { weight: 1, arbitrary: fc.tuple(someId, someId) };
/** Records that no other leads to. */
const leaves = fc.constantFrom(
  ['lines', 1],
  ['lines', 2],
  ['lines', 3],
  ['orders', 2],
  ['orders', 4],
  ['customers', 3],
);

export function changeOf(kind: ShopChange['kind']): fc.Arbitrary<ShopChange> {
  const common = { kind, parent: 0, item: '' };
  switch (kind) {
    case 'link':
      return fc
        .constantFrom('orders' as const, 'lines' as const)
        .chain((root) => fc.tuple(fc.constant(root), fc.oneof({ weight: 5, arbitrary: apart[root] }, anyPair)))
        .map(([root, [parent = 0, id = 0]]) => ({ ...common, root, parent, ids: [id] }));
    case 'unlink':
    case 'unlink and delete':
      // Orders that have lines cannot be deleted.
      return fc
        .constantFrom(...(kind === 'unlink' ? (['orders', 'lines'] as const) : (['lines'] as const)))
        .chain((root) => fc.tuple(fc.constant(root), linked[root], fc.option(someId, { nil: undefined })))
        .map(([root, [parent = 0, id = 0], other]) => ({
          ...common,
          root,
          parent,
          ids: other === undefined ? [id] : [id, other],
        }));
    case 'delete':
    case 'delete selection':
      return leaves.map(([root, id]) => ({ ...common, root: root as Name, ids: [Number(id)] }));
    case 'list item':
      return fc
        .tuple(someId, fc.constantFrom('late', 'held', 'sent', 'paid'))
        .map(([id, item]) => ({ ...common, root: 'orders', ids: [id], item }));
  }
}

/** How the change is sent. */
export function sentChange({ kind, root, parent, ids, item }: ShopChange): AskedRequest {
  const path = root === 'customers' ? '' : `${links[root].from}/${parent}/relationships/${root}`;
  const selection = { data: { attributes: { ids: ids.map(String) } } };
  const at = (place: string) => `/service/${place}${place.includes('?') ? '&' : '?'}timezone=UTC`;
  switch (kind) {
    case 'link':
      return { method: 'POST', url: at(path), body: { data: [{ type: root, id: String(ids[0]) }] } };
    case 'unlink':
      return { method: 'DELETE', url: at(path), body: selection };
    case 'unlink and delete':
      return { method: 'DELETE', url: at(`${path}?delete=true`), body: selection };
    case 'delete':
      return { method: 'DELETE', url: at(`${root}/${ids[0]}`) };
    case 'delete selection':
      return { method: 'DELETE', url: at(root), body: selection };
    case 'list item':
      return { method: 'PUT', url: at(`orders/${ids[0]}/relationships/tags/0`), body: { data: { attributes: item } } };
  }
}

/** What is there after a change, or the status of its refusal: worked out on a copy of the data. */
export function outcomeOfChange(rights: Rights, data: Shop, change: ShopChange): Shop | 403 | 404 {
  const { kind, root, parent, ids, item } = change;
  const rows: Rows = structuredClone(data) as never;
  const isDeleting = kind.includes('delete');
  if (!rights.of[root][isDeleting ? 'delete' : 'edit']) return 403;
  const link = root === 'customers' ? undefined : links[root];
  const isOfRelation = kind === 'link' || kind.startsWith('unlink');
  if (isOfRelation && link && !visible(rights, rows, link.from, parent)) return 404;
  const reached = ids.map((id) => visible(rights, rows, root, id)).filter((row) => row !== undefined);
  if (kind === 'list item') {
    const [order] = reached;
    if (!order) return 404;
    const [, ...others] = String(order['status']).split(' ');
    order['status'] = [item, ...others].join(' ');
    return rows;
  }
  const isLinked = (row: Rows[Name][number]) => link !== undefined && row[link.key] === parent;
  const meant = kind.startsWith('unlink') ? reached.filter(isLinked) : reached;
  if (isDeleting) rows[root] = rows[root].filter((row) => !meant.includes(row));
  else if (link) for (const row of meant) row[link.key] = kind === 'link' ? parent : null;
  return rows;
}
