import type { Agent } from '../../../src/exports/index.ts';

/** What the tests of the REST API expect of the agent of the shop beside the tables of `shop.sql`. */
export function customizeShop(agent: Agent): void {
  agent
    .addChart('Orders', async (context, result) => {
      const [row] = await context.dataSource.getCollection('orders').aggregate({}, { operation: 'Count' });
      return result.value(Number(row?.value));
    })
    .customizeCollection('events', (events) => events.disableCount())
    .customizeCollection('orders', (orders) =>
      orders
        .addAction('Fail', {
          scope: 'Global',
          execute: (_context, result) => result.setHeader('x-reason', 'closed').error('The shop is closed.'),
        })
        .addAction('Refund', {
          scope: 'Single',
          form: [
            { type: 'String', label: 'Reason', isRequired: true },
            { type: 'File', label: 'Proof' },
          ],
          execute: (context, result) => result.success(`Refunded: ${context.formValues['Reason']}`),
        })
        .addSegment('paid', { field: 'status', operator: 'Equal', value: 'paid' })
        .addChart('Total', async (context, result) => {
          const { total } = await context.getRecord(['total']);
          return result.value(Number(total));
        }),
    );
}
