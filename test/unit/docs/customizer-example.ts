import type { Agent, AnySchema, CollectionCustomizer } from '../../../src/exports/index.ts';

type Orders = CollectionCustomizer<AnySchema, 'orders'>;
type Customers = CollectionCustomizer<AnySchema, 'customers'>;

export function agentOperations(agent: Agent): void {
  agent.customizeCollection('orders', (orders) => orders.disableCount());
  agent.addChart('Customers', async ({ dataSource }, result) => {
    const [row] = await dataSource.getCollection('customers').aggregate({}, { operation: 'Count' });
    return result.value(Number(row?.value));
  });
  agent.addMask('initial', (value) => `${String(value).slice(0, 1)}.`);
  agent.removeCollection('secrets');
  agent.use((plugged) => void plugged.collections.map(({ name }) => name));
}

export function fields(orders: Orders): void {
  orders.addField('title', {
    columnType: 'String',
    dependencies: ['reference', 'customer:name'],
    getValues: (records) => records.map(({ reference }) => `Order ${reference}`),
  });
  orders.importField('buyer', { path: 'customer:name', readonly: true });
  orders.renameField('placed_at', 'placedAt');
  orders.removeField('token');
  orders.addFieldValidation('reference', 'LongerThan', 3);
  orders.setFieldNullable('status');
  orders.replaceFieldWriting('status', (value) => ({ status: String(value).toLowerCase() }));
  orders.replaceFieldBinaryMode('receipt', 'datauri');
}

export function relations(orders: Orders): void {
  orders.addManyToOneRelation('seller', 'customers', { foreignKey: 'seller_id' });
  orders.addOneToManyRelation('resales', 'orders', { originKey: 'resale_of' });
  orders.addOneToOneRelation('resale', 'orders', { originKey: 'resale_of' });
  orders.addManyToManyRelation('watchers', 'customers', 'watches', {
    originKey: 'order_id',
    foreignKey: 'customer_id',
  });
  orders.addExternalRelation('shipments', {
    schema: { carrier: 'String', sentAt: 'Date' },
    listRecords: ({ id }) => [{ carrier: `Carrier of ${id}`, sentAt: '2024-03-10T10:00:00.000Z' }],
  });
}

export function queries(orders: Orders): void {
  orders.addSegment('open', { field: 'status', operator: 'Equal', value: 'open' });
  orders.replaceSearch((search) => ({ field: 'reference', operator: 'IContains', value: search }));
  orders.emulateFieldFiltering('title');
  orders.emulateFieldOperator('status', 'Like');
  orders.replaceFieldOperator('title', 'Equal', (value) => ({ field: 'reference', operator: 'Equal', value }));
  orders.emulateFieldSorting('title');
  orders.replaceFieldSorting('status', [{ field: 'id', ascending: false }]);
  orders.disableFieldSorting('reference');
  orders.disableCount();
  orders.keepHistory();
  orders.setFieldTones('status', { open: 'warning', paid: 'success' });
  orders.showFieldBecause('title', 'A title tells no amount.');
  orders.markFieldUntrusted('reference');
  orders.trustFieldBecause('buyer', 'Our staff enters the customers.');
  orders.setTitle('reference');
}

export function withoutSearch(customers: Customers): void {
  customers.disableSearch();
}

export function code(orders: Orders): void {
  orders.addAction('Close', {
    scope: 'Bulk',
    form: [{ type: 'String', label: 'Reason', isRequired: true }],
    execute: async ({ collection, filter, formValues }, result) => {
      await collection.update(filter, { status: 'closed' });
      return result.success(`Closed: ${formValues['Reason']}`);
    },
  });
  orders.addChart('Age', async ({ getRecord }, result) => {
    const { placed_at: placedAt } = await getRecord(['placed_at']);
    return result.value(Date.now() - Date.parse(String(placedAt)));
  });
  orders.addHook('Before', 'Delete', ({ caller, throwForbiddenError }) => {
    if (!caller.roles.includes('Admin')) throwForbiddenError('Only administrators delete orders.');
  });
  orders.overrideCreate(({ data, collection }) => collection.create(data));
  orders.overrideUpdate(({ filter, patch, collection }) => collection.update(filter, patch));
  orders.overrideDelete(({ filter, collection }) => collection.update(filter, { status: 'deleted' }));
  orders.use((_agent, collection) => collection?.setFieldNullable('token'));
}
