import fc, { type Arbitrary } from 'fast-check';
import type { Agent } from '#runtime/customizer/agent';

interface Customization {
  readonly name: string;
  readonly apply: (agent: Agent) => unknown;
}

type Row = Readonly<Record<string, unknown>>;

const textOf = (dependency: string, make: (value: unknown) => string | null) => ({
  columnType: 'String' as const,
  dependencies: [dependency],
  getValues: (records: readonly Row[]) => records.map((record) => make(record[dependency])),
});

const customizations: readonly Customization[] = [
  {
    name: 'computed text, wholly emulated',
    apply: (agent) =>
      agent.customizeCollection('orders', (on) =>
        on
          .addField(
            'shout',
            textOf('status', (status) => (status === null ? null : `${status}!`)),
          )
          .emulateFieldFiltering('shout')
          .emulateFieldSorting('shout'),
      ),
  },
  {
    name: 'computed number, two operators emulated',
    apply: (agent) =>
      agent.customizeCollection('orders', (on) =>
        on
          .addField('cents', {
            columnType: 'Number',
            dependencies: ['total'],
            getValues: (records) =>
              records.map(({ total }) => (total === null ? null : Math.round(Number(total) * 100))),
          })
          .emulateFieldOperator('cents', 'Equal')
          .emulateFieldOperator('cents', 'GreaterThan')
          .replaceFieldSorting('cents', [{ field: 'total', ascending: true }]),
      ),
  },
  {
    name: 'import through a relation of the database',
    apply: (agent) =>
      agent.customizeCollection('orders', (on) => on.importField('customerCity', { path: 'customer:city' })),
  },
  {
    name: 'declared relation in one database, and an import through it',
    apply: (agent) =>
      agent.customizeCollection('orders', (on) =>
        on
          .addManyToOneRelation('seller', 'customers', { foreignKey: 'seller_id' })
          .importField('sellerVip', { path: 'seller:vip' }),
      ),
  },
  {
    name: 'relation between two data sources, and an import through it',
    apply: (agent) =>
      agent
        .customizeCollection('customers', (on) =>
          on.addOneToOneRelation('contact', 'contacts', { originKey: 'customer_id' }),
        )
        .customizeCollection('orders', (on) => on.importField('contactLevel', { path: 'customer:contact:level' })),
  },
  {
    name: 'computed field of a related collection, wholly emulated',
    apply: (agent) =>
      agent.customizeCollection('customers', (on) =>
        on
          .addField(
            'initial',
            textOf('name', (name) => String(name).slice(0, 1)),
          )
          .emulateFieldFiltering('initial')
          .emulateFieldSorting('initial'),
      ),
  },
  {
    name: 'replaced operator that says the same',
    apply: (agent) =>
      agent.customizeCollection('orders', (on) =>
        on.replaceFieldOperator('status', 'StartsWith', (value) => ({
          aggregator: 'And',
          conditions: [
            { field: 'status', operator: 'Present' },
            { field: 'status', operator: 'Like', value: `${String(value).replaceAll(/[%_\\]/g, '\\$&')}%` },
          ],
        })),
      ),
  },
  {
    name: 'computed field behind keys of several parts, wholly emulated',
    apply: (agent) =>
      agent.customizeCollection('shelves', (on) =>
        on
          .addField(
            'loud',
            textOf('label', (label) => (label === null ? null : `${label}!`)),
          )
          .emulateFieldFiltering('loud')
          .emulateFieldSorting('loud'),
      ),
  },
  {
    name: 'import through a key of several parts, and one operator of it replaced',
    apply: (agent) =>
      agent.customizeCollection('boxes', (on) =>
        on
          .importField('shelfLabel', { path: 'shelf:label' })
          .replaceFieldOperator('shelfLabel', 'Equal', (value) => ({ field: 'shelf:label', operator: 'Equal', value })),
      ),
  },
  {
    name: 'replaced operators behind keys of several parts that say the same',
    apply: (agent) =>
      agent.customizeCollection('shelves', (on) =>
        on
          .replaceFieldOperator('label', 'NotEqual', (value) => ({
            aggregator: 'Or',
            conditions: [
              { field: 'label', operator: 'NotIn', value: [value, null] },
              // Missing is other than any value, but not other than null.
              ...(value === null ? [] : [{ field: 'label', operator: 'Missing' } as const]),
            ],
          }))
          .replaceFieldOperator('number', 'In', (value) => ({
            aggregator: 'Or',
            conditions: (value as readonly number[]).map((item) => ({
              field: 'number',
              operator: 'Equal',
              value: item,
            })),
          })),
      ),
  },
  {
    name: 'replaced operators of the keys of relations that say the same',
    apply: (agent) =>
      agent
        .customizeCollection('boxes', (on) =>
          on
            .replaceFieldOperator('number', 'Equal', (value) => ({ field: 'number', operator: 'In', value: [value] }))
            .replaceFieldOperator('house', 'NotEqual', (value) => ({
              field: 'house',
              operator: 'NotIn',
              value: [value],
            })),
        )
        .customizeCollection('stocks', (on) =>
          on.replaceFieldOperator('house', 'Equal', (value) => ({
            aggregator: 'Or',
            conditions: [{ field: 'shelf:house', operator: 'Equal', value }],
          })),
        ),
  },
  {
    name: 'replaced operator that asks many records',
    apply: (agent) =>
      agent.customizeCollection('shelves', (on) =>
        on
          .addField('firstBox', {
            columnType: 'Number',
            dependencies: ['house', 'number'],
            getValues: async (shelves, { dataSource }) => {
              const boxes = await dataSource.getCollection('boxes').list({}, ['id', 'house', 'number']);
              return shelves.map(({ house, number }) => {
                const ids = boxes
                  .filter((box) => box['house'] === house && box['number'] === number)
                  .map(({ id }) => id);
                return ids.length > 0 ? Math.min(...(ids as number[])) : null;
              });
            },
          })
          .emulateFieldFiltering('firstBox')
          .emulateFieldSorting('firstBox')
          .replaceFieldOperator('firstBox', 'Present', () => ({ field: 'boxes:id', operator: 'Present' })),
      ),
  },
  {
    name: 'relation by a part of a key',
    apply: (agent) =>
      agent.customizeCollection('shelves', (on) =>
        on.addOneToManyRelation('besides', 'boxes', { originKey: 'house', originKeyTarget: 'house' }),
      ),
  },
  {
    name: 'relations both ways by a key that is imported',
    apply: (agent) =>
      agent
        .customizeCollection('boxes', (on) =>
          on
            .importField('keeperId', { path: 'shelf:keeper_id' })
            .addManyToOneRelation('keeper', 'customers', { foreignKey: 'keeperId' }),
        )
        .customizeCollection('customers', (on) => on.addOneToManyRelation('boxes', 'boxes', { originKey: 'keeperId' })),
  },
  {
    name: 'relations both ways by a key that is computed',
    apply: (agent) =>
      agent
        .customizeCollection('boxes', (on) =>
          on
            .addField('opposite', {
              columnType: 'Number',
              dependencies: ['id'],
              getValues: (records) => records.map(({ id }) => (id === 2 ? null : 7 - Number(id))),
            })
            .emulateFieldOperator('opposite', 'In')
            .addManyToOneRelation('other', 'boxes', { foreignKey: 'opposite' }),
        )
        .customizeCollection('orders', (on) => on.addOneToManyRelation('others', 'boxes', { originKey: 'opposite' })),
  },
  {
    name: 'other names for parts of keys and relations',
    apply: (agent) =>
      agent
        .customizeCollection('shelves', (on) => on.renameField('number', 'position').renameField('house', 'number'))
        .customizeCollection('boxes', (on) => on.renameField('shelf', 'place').renameField('house', 'building')),
  },
  {
    name: 'relations to many between two data sources',
    apply: (agent) =>
      agent
        .customizeCollection('shelves', (on) =>
          on.addOneToManyRelation('keepers', 'contacts', { originKey: 'customer_id', originKeyTarget: 'keeper_id' }),
        )
        .customizeCollection('contacts', (on) =>
          on
            .addOneToManyRelation('kept', 'shelves', { originKey: 'keeper_id', originKeyTarget: 'customer_id' })
            .addManyToManyRelation('soldTo', 'customers', 'orders', {
              originKey: 'seller_id',
              originKeyTarget: 'customer_id',
              foreignKey: 'customer_id',
            }),
        ),
  },
];

export interface Stack {
  readonly names: readonly string[];
  readonly apply: (agent: Agent) => void;
}

/** Some of the customizations, in any order. */
export const stack: Arbitrary<Stack> = fc.shuffledSubarray([...customizations], { minLength: 1 }).map(
  (chosen): Stack => ({
    names: chosen.map(({ name }) => name),
    apply: (agent) => {
      for (const { apply } of chosen) apply(agent);
    },
  }),
);
