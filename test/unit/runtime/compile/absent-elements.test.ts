import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent, CollectionCustomizer } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { AnySchema } from '#runtime/customizer/schema-types';
import { flattenJsonColumn, flattenRelation } from '../../../../src/exports/plugin-flattener.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const script = `
  create table customers (id integer primary key, name text not null, email text, extra json);
  create table orders (id integer primary key, reference text not null, customer_id integer references customers);
`;

type Customize = (agent: Agent) => void;

/** The model with its absent elements passed over, and what was said of them. */
async function compileWhatIsThere(customize: Customize) {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  const warnings: string[] = [];
  const passOver = (text: string) => warnings.push(text);
  const model = compileModel([await temporaryDataSource(script)], await collector.finish(), { passOver });
  return { model, warnings };
}

async function refusalOf(customize: Customize): Promise<string> {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  const declarations = await collector.finish();
  const source = await temporaryDataSource(script);
  try {
    compileModel([source], declarations);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It compiled.');
}

const onOrders =
  (customize: (orders: CollectionCustomizer<AnySchema, 'orders'>) => unknown): Customize =>
  (agent) =>
    void agent.customizeCollection('orders', (orders) => void customize(orders));

const text = (...dependencies: string[]) => ({
  columnType: 'String' as const,
  dependencies,
  getValues: (records: readonly unknown[]) => records.map(() => 'x'),
});
const copy = (field: string) => ({
  columnType: 'String' as const,
  expression: { coalesce: [{ field }, { value: '' }] },
});
const anything = { field: 'id', operator: 'Present' } as const;
const execute = () => undefined;
const pick = (collectionName: string) =>
  ({ scope: 'Global', execute, form: [{ label: 'To', type: 'Collection', collectionName }] }) as const;

const kinds: readonly (readonly [string, Customize])[] = [
  ['a collection', (agent) => agent.customizeCollection('ordres', (on) => on.addHook('Before', 'List', execute))],
  ['a collection to be removed', (agent) => agent.removeCollection('ordres')],
  ['a dependency', onOrders((orders) => orders.addField('label', text('refrence')))],
  ['a dependency through a relation', onOrders((orders) => orders.addField('label', text('client:name')))],
  ['a field of an expression', onOrders((orders) => orders.addField('label', copy('refrence')))],
  ['a relation of an expression', onOrders((orders) => orders.addField('label', copy('client:name')))],
  ['the source of an import', onOrders((orders) => orders.importField('label', { path: 'customer:nmae' }))],
  ['the relation of an import', onOrders((orders) => orders.importField('label', { path: 'client:name' }))],
  [
    'the collection of a relation',
    onOrders((orders) => orders.addManyToOneRelation('buyer', 'people', { foreignKey: 'customer_id' })),
  ],
  [
    'the key of a relation',
    onOrders((orders) => orders.addManyToOneRelation('buyer', 'customers', { foreignKey: 'client_id' })),
  ],
  [
    'the collection between two',
    onOrders((orders) =>
      orders.addManyToManyRelation('buyers', 'customers', 'purchases', { originKey: 'order_id', foreignKey: 'who' }),
    ),
  ],
  [
    'a dependency of an external relation',
    onOrders((orders) =>
      orders.addExternalRelation('parcels', {
        schema: { code: 'String' },
        dependencies: ['parcel_id'],
        listRecords: () => [],
      }),
    ),
  ],
  ['a field to be renamed', onOrders((orders) => orders.renameField('refrence', 'number'))],
  ['a field to be removed', onOrders((orders) => orders.removeField('refrence'))],
  ['a validated field', onOrders((orders) => orders.addFieldValidation('refrence', 'Present'))],
  ['a nullable field', onOrders((orders) => orders.setFieldNullable('refrence'))],
  ['a written field', onOrders((orders) => orders.replaceFieldWriting('refrence', () => undefined))],
  ['a binary field', onOrders((orders) => orders.replaceFieldBinaryMode('picture', 'hex'))],
  ['an emulated filter', onOrders((orders) => orders.emulateFieldFiltering('refrence'))],
  ['a replaced operator', onOrders((orders) => orders.replaceFieldOperator('refrence', 'Equal', () => anything))],
  ['an emulated sort', onOrders((orders) => orders.emulateFieldSorting('refrence'))],
  ['a sort that is off', onOrders((orders) => orders.disableFieldSorting('refrence'))],
  [
    'what to sort by instead',
    onOrders((orders) => orders.replaceFieldSorting('reference', [{ field: 'nubmer', ascending: true }])),
  ],
  [
    'the field of a segment',
    onOrders((orders) => orders.addSegment('open', { field: 'status', operator: 'Equal', value: 'open' })),
  ],
  ['a collection to pick from', onOrders((orders) => orders.addAction('Send', pick('people')))],
  [
    'a document to flatten',
    onOrders((orders) => orders.use(flattenJsonColumn, { columnName: 'extra', columnType: { size: 'Number' } })),
  ],
  ['a relation to flatten', onOrders((orders) => orders.use(flattenRelation, { relationName: 'client' }))],
  [
    'a field of a relation to flatten',
    onOrders((orders) => orders.use(flattenRelation, { relationName: 'customer', include: ['nmae'] })),
  ],
];

describe('an absent element', () => {
  it.each(kinds)('is passed over with the text of its error: %s', async (_what, customize) => {
    const refusal = await refusalOf(customize);
    const { model, warnings } = await compileWhatIsThere(customize);
    expect(warnings).toEqual([refusal]);
    expect(refusal).toMatch(/\(.+\.ts:\d+\)$/);
    const untouched = compileModel([await temporaryDataSource(script)], []);
    for (const [name, { fields, segments, actions, rules }] of model.collections) {
      const before = untouched.collections.get(name);
      expect([...fields.keys()]).toEqual([...(before?.fields.keys() ?? [])]);
      expect([segments.size, actions.size]).toEqual([0, 0]);
      expect([...rules.values()].filter(({ sort }) => sort !== undefined)).toEqual([]);
    }
  });

  it('takes nothing with it that does not depend on it', async () => {
    const { model, warnings } = await compileWhatIsThere((agent) => {
      agent.customizeCollection('ordres', () => undefined);
      agent.customizeCollection('orders', (orders) =>
        orders
          .addField('broken', text('refrence'))
          .addField('label', text('reference', 'customer:name'))
          .removeField('nope', 'customer_id')
          .addSegment('first', { field: 'id', operator: 'Equal', value: 1 }),
      );
    });
    expect(warnings).toHaveLength(3);
    const orders = model.collections.get('orders');
    expect([...(orders?.fields.keys() ?? [])]).toEqual(['id', 'reference', 'label']);
    expect([...(orders?.segments.keys() ?? [])]).toEqual(['first']);
  });

  it('takes what depends on it along, each with its own warning', async () => {
    const { model, warnings } = await compileWhatIsThere((agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders
          .addSegment('loud', { field: 'shout', operator: 'Equal', value: 'X' })
          .addField('shout', text('label'))
          .emulateFieldFiltering('shout')
          .importField('label', { path: 'buyer:name' })
          .use(flattenRelation, { relationName: 'buyer', include: ['email'] })
          .replaceFieldSorting('shout', [{ field: 'buyer:name', ascending: true }])
          .addManyToOneRelation('buyer', 'customers', { foreignKey: 'buyer_id' })
          .addField('kept', text('reference')),
      );
      agent.customizeCollection('customers', (customers) =>
        customers.addOneToManyRelation('bought', 'orders', { originKey: 'label' }),
      );
    });
    expect(warnings.map((warning) => warning.replace(/ \(.+\)$/, ''))).toEqual([
      'The relation "buyer" of "orders" has no key: "orders" has no field "buyer_id".',
      'The imported field "label" of "orders" cannot go through "buyer" of "orders".',
      'The imported field "buyer@@@email" of "orders" cannot go through "buyer" of "orders".',
      'The field "shout" of "orders" depends on "label": The collection "orders" has no field "label".',
      'The sort replacement of "shout" of "orders": The collection "orders" has no field "buyer".',
      'The collection "orders" has no field "shout".',
      'The relation "bought" of "customers" has no key: "orders" has no field "label".',
      'The segment "loud" of "orders": The collection "orders" has no field "shout".',
    ]);
    expect([...(model.collections.get('orders')?.fields.keys() ?? [])]).toEqual([
      'id',
      'reference',
      'customer_id',
      'customer',
      'kept',
    ]);
    expect(model.collections.get('orders')?.segments.size).toBe(0);
    expect(model.collections.get('customers')?.fields.has('bought')).toBe(false);
  });

  it('keeps a relation to it from being flattened, too', async () => {
    const { warnings } = await compileWhatIsThere(
      onOrders((orders) =>
        orders
          .addManyToOneRelation('buyer', 'people', { foreignKey: 'customer_id' })
          .use(flattenRelation, { relationName: 'buyer' }),
      ),
    );
    expect(warnings).toEqual([
      expect.stringContaining('"buyer" of "orders" cannot be flattened: "buyer" of "orders" leads nowhere.'),
      expect.stringContaining('The relation "buyer" of "orders" leads nowhere: there is no collection "people".'),
    ]);
  });

  it('leaves the addresses of other actions as they were', async () => {
    const { model } = await compileWhatIsThere(
      onOrders((orders) =>
        orders
          .addAction('First', { scope: 'Global', execute })
          .addAction('Send', pick('people'))
          .addAction('Refund', { scope: 'Single', execute }),
      ),
    );
    expect([...(model.collections.get('orders')?.actions.keys() ?? [])]).toEqual(['0/first', '2/refund']);
  });

  it.each<readonly [string, Customize, string]>([
    ['a collision', onOrders((orders) => orders.addField('reference', text('id'))), 'already'],
    [
      'a collision with what is passed over',
      onOrders((orders) => orders.addField('a', text('nope')).addField('a', text('id'))),
      'already',
    ],
    ['a cycle', onOrders((orders) => orders.addField('a', text('b')).addField('b', text('a'))), 'in a circle'],
    ['a bad argument', onOrders((orders) => orders.addField('a', text())), 'at least one dependency'],
    [
      'a path through a column',
      onOrders((orders) => orders.importField('a', { path: 'id:name' })),
      'cannot go through',
    ],
    ['a relation of a column', onOrders((orders) => orders.addField('a', copy('id:name'))), 'has no relation "id"'],
    [
      'another operator',
      onOrders((orders) => orders.addSegment('a', { ...anything, operator: 'Nope' as never })),
      'there is no operator',
    ],
  ])('excuses no other mistake: %s', async (_what, customize, message) => {
    const broken: Customize = (agent) => {
      agent.customizeCollection('ordres', () => undefined);
      customize(agent);
    };
    const refused = compileWhatIsThere(broken);
    await expect(refused).rejects.toMatchObject({ code: 'CUSTOMIZATION_INVALID' });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow('ordres');
  });
});
