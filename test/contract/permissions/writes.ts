import fc from 'fast-check';
import type { Agent } from '#runtime/customizer/agent';
import { type Name, names, shop } from './shop-data.ts';

/** A write, as the oracle looks at it and as it is sent. */
export interface ShopWrite {
  readonly verb: 'create' | 'update' | 'link';
  readonly root: Name;
  /** Of the record that is changed. */
  readonly id: number;
  /** Columns, and the imported field of the collection. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Where the to-one relation of the collection is to lead; of a record that is created too. */
  readonly target?: number | null | undefined;
}

/** The key of each collection, and the field that it shows of the record which the key leads to. */
export const keys = {
  customers: undefined,
  orders: { column: 'customer_id', relation: 'customer', target: 'customers', imported: 'customerCity', of: 'city' },
  lines: { column: 'order_id', relation: 'order', target: 'orders', imported: 'orderCustomer', of: 'customer_id' },
} as const;

/** The imported fields that the writes name. */
export function importFields(agent: Agent): void {
  for (const [name, key] of Object.entries(keys)) {
    if (!key) continue;
    agent.customizeCollection(name, (collection) =>
      collection.importField(key.imported, { path: `${key.relation}:${key.of}` }),
    );
  }
}

const texts = ['Ada', 'Paris', 'A-1', 'paid', 'open', 'red'] as const;
const numbers = [10, 3] as const;
// The last one is nobody's.
const ids = fc.option(fc.integer({ min: 1, max: 5 }), { freq: 5 });

const columns: Readonly<Record<Name, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  customers: { name: fc.constantFrom(...texts), city: fc.constantFrom(...texts) },
  orders: {
    reference: fc.constantFrom(...texts),
    status: fc.constantFrom(...texts),
    total: fc.constantFrom(...numbers),
    customer_id: ids,
    customerCity: fc.constantFrom('Paris', 'Lyon', 'Ada', null),
  },
  lines: { sku: fc.constantFrom(...texts), quantity: fc.constantFrom(...numbers), order_id: ids, orderCustomer: ids },
};

function writeOf(verb: ShopWrite['verb'], root: Name): fc.Arbitrary<ShopWrite> {
  const attributes = verb === 'link' ? fc.constant({}) : fc.record(columns[root], { requiredKeys: [] });
  const target =
    verb === 'link' ? ids : verb === 'create' ? fc.option(ids, { nil: undefined }) : fc.constant(undefined);
  const id = fc.integer({ min: 1, max: shop[root].length + 1 });
  return fc
    .record({ id, attributes, target: root === 'customers' ? fc.constant(undefined) : target })
    .map((drawn) => ({ verb, root, ...drawn }) as ShopWrite);
}

export const writeArbitrary: fc.Arbitrary<ShopWrite> = fc
  .tuple(fc.constantFrom('create', 'update', 'link'), fc.constantFrom(...names))
  .filter(([verb, root]) => verb !== 'link' || root !== 'customers')
  .chain(([verb, root]) => writeOf(verb as ShopWrite['verb'], root));

/** How the write is sent. */
export function sentWrite({ verb, root, id, attributes, target }: ShopWrite) {
  const relation = keys[root]?.relation;
  const data = target === null ? null : { id: String(target) };
  const relationships = target === undefined || !relation ? {} : { [relation]: { data } };
  if (verb === 'create') {
    return {
      method: 'POST' as const,
      url: `/service/${root}?timezone=UTC`,
      body: { data: { attributes, relationships } },
    };
  }
  if (verb === 'link') {
    return {
      method: 'PUT' as const,
      url: `/service/${root}/${id}/relationships/${relation}?timezone=UTC`,
      body: { data },
    };
  }
  const body = { data: { id: String(id), attributes } };
  return { method: 'PUT' as const, url: `/service/${root}/${id}?timezone=UTC`, body };
}
