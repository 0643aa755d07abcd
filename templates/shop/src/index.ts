import type { Agent } from '@vendor/cloud';
import type { Schema } from '../typings.js';

/** Everything your back end does beyond what the database says by itself. Save this file and the running agent follows. */
export default function customize(agent: Agent<Schema>): void {
  agent.customizeCollection('customers', (customers) =>
    customers
      // A computed field is read like a column. It gets the records of a whole page at once.
      .addField('displayName', {
        columnType: 'String',
        dependencies: ['first_name', 'last_name', 'tier'],
        getValues: (records) =>
          records.map(({ first_name, last_name, tier }) => `${first_name} ${last_name}${tier === 'gold' ? ' ★' : ''}`),
      })
      // A segment is a filter with a name.
      .addSegment('Gold', { field: 'tier', operator: 'Equal', value: 'gold' })
      .addSegment('Newsletter without phone', {
        aggregator: 'And',
        conditions: [
          { field: 'accepts_newsletter', operator: 'Equal', value: true },
          { field: 'phone', operator: 'Blank' },
        ],
      }),
  );

  agent.customizeCollection('orders', (orders) =>
    orders
      // "customer:full_name" follows the relation to the customer.
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
      // An action is a button: on one record (Single), on a selection (Bulk) or on the collection (Global).
      .addAction('Add up', {
        scope: 'Bulk',
        description: 'Tells what the selected orders come to.',
        execute: async (context, resultBuilder) => {
          const selected = await context.getRecords(['total', 'currency']);
          const sums = new Map<string, number>();
          // Decimals are texts, so that no digit gets lost on the way; whole cents add up exactly.
          for (const { total, currency } of selected) {
            sums.set(currency, (sums.get(currency) ?? 0) + Math.round(Number(total) * 100));
          }
          const amounts = [...sums].map(([currency, cents]) => `${(cents / 100).toFixed(2)} ${currency}`);
          return resultBuilder.success(`${selected.length} orders come to ${amounts.join(' and ')}.`);
        },
      }),
  );
}

function daysBetween(from: string, to: string): number {
  return Math.round((new Date(to).getTime() - new Date(from).getTime()) / 86_400_000);
}
