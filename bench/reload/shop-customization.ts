import type { Agent } from '#runtime/customizer/agent';

/** The bench writes another value here at every save. */
const revision = 'r0';

/** Twenty customizations of the sample shop: nine fields, seven segments, four actions. */
export function customize(agent: Agent): void {
  customizeOrders(agent);
  customizeCustomers(agent);
  customizeCatalogue(agent);
  customizeMoney(agent);
}

function customizeOrders(agent: Agent): void {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addField('revision', {
        columnType: 'String',
        dependencies: ['reference'],
        getValues: (records) => records.map(({ reference }) => `${reference} ${revision}`),
      })
      .addField('label', {
        columnType: 'String',
        dependencies: ['reference', 'customer:full_name'],
        getValues: (records) => records.map(({ reference, customer }) => `${reference}, ${customer?.full_name ?? '?'}`),
      })
      .addField('daysToShip', {
        columnType: 'Number',
        dependencies: ['ordered_at', 'shipped_at'],
        getValues: (records) =>
          records.map(({ ordered_at, shipped_at }) =>
            shipped_at === null ? null : daysBetween(ordered_at, shipped_at),
          ),
      })
      .addSegment('To ship', { field: 'status', operator: 'Equal', value: 'paid' })
      .addSegment('With a coupon', { field: 'coupon_code', operator: 'Present' })
      .addAction('Add up', {
        scope: 'Bulk',
        execute: async (context, result) => {
          const cents = (await context.getRecords(['total'])).map(({ total }) => Math.round(Number(total) * 100));
          return result.success(`${cents.length} orders: ${cents.reduce((sum, each) => sum + each, 0) / 100}`);
        },
      })
      .addAction('Quote', {
        scope: 'Single',
        execute: async (context, result) => result.success(`${(await context.getRecord(['reference'])).reference}`),
      }),
  );
}

function customizeCustomers(agent: Agent): void {
  agent.customizeCollection('customers', (customers) =>
    customers
      .addField('displayName', {
        columnType: 'String',
        dependencies: ['first_name', 'last_name', 'tier'],
        getValues: (records) =>
          records.map(({ first_name, last_name, tier }) => `${first_name} ${last_name}${tier === 'gold' ? ' ★' : ''}`),
      })
      .addField('initials', {
        columnType: 'String',
        dependencies: ['first_name', 'last_name'],
        getValues: (records) => records.map((row) => `${row.first_name}`.charAt(0) + `${row.last_name}`.charAt(0)),
      })
      .addSegment('Gold', { field: 'tier', operator: 'Equal', value: 'gold' })
      .addSegment('Newsletter without phone', {
        aggregator: 'And',
        conditions: [
          { field: 'accepts_newsletter', operator: 'Equal', value: true },
          { field: 'phone', operator: 'Blank' },
        ],
      })
      .addAction('Greet', {
        scope: 'Single',
        execute: async (context, result) =>
          result.success(`Hello ${(await context.getRecord(['full_name'])).full_name}`),
      }),
  );
}

function customizeCatalogue(agent: Agent): void {
  agent.customizeCollection('products', (products) =>
    products
      .addField('title', {
        columnType: 'String',
        dependencies: ['name', 'category:name'],
        getValues: (records) => records.map(({ name, category }) => `${name} (${category?.name})`),
      })
      .addSegment('Out of sale', { field: 'is_active', operator: 'Equal', value: false })
      .addAction('Count', {
        scope: 'Global',
        execute: (_context, result) => result.success('Counted.'),
      }),
  );
  agent.customizeCollection('reviews', (reviews) =>
    reviews
      .addField('stars', {
        columnType: 'String',
        dependencies: ['rating'],
        getValues: (records) => records.map(({ rating }) => '★'.repeat(Number(rating))),
      })
      .addSegment('Bad', { field: 'rating', operator: 'LessThan', value: 3 }),
  );
}

function customizeMoney(agent: Agent): void {
  agent.customizeCollection('payments', (payments) =>
    payments
      .addField('net', {
        columnType: 'Number',
        dependencies: ['amount', 'fee'],
        getValues: (records) => records.map(({ amount, fee }) => (Number(amount) - Number(fee ?? 0)).toFixed(4)),
      })
      .addSegment('By card', { field: 'method', operator: 'Equal', value: 'card' }),
  );
  agent.customizeCollection('addresses', (addresses) =>
    addresses.addField('oneLine', {
      columnType: 'String',
      dependencies: ['street', 'city', 'country'],
      getValues: (records) => records.map(({ street, city, country }) => `${street}, ${city} (${country})`),
    }),
  );
}

function daysBetween(from: unknown, to: unknown): number {
  return Math.round((new Date(String(to)).getTime() - new Date(String(from)).getTime()) / 86_400_000);
}
