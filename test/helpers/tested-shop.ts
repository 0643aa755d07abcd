import type { TestAgent } from '../../src/exports/agent-testing.ts';
import type { Agent } from '../../src/exports/index.ts';
import { openShopTestAgent } from './shop-test-agent.ts';

/** The actions and charts that the testing package is tried on. */
function customizeShop(agent: Agent): void {
  agent.addChart('Total', (_context, result) => result.value(7, 5));
  agent.addChart('Share', (_context, result) => result.percentage('12.5'));
  agent.addChart('Months', (_context, result) =>
    result.timeBased('Month', [
      { date: '2026-01-05', value: 1 },
      { date: '2026-03-05', value: 2 },
    ]),
  );
  agent.customizeCollection('customers', (customers) =>
    customers.addChart('Orders by status', async (context, result) =>
      result.distribution({ paid: Number(context.recordId), draft: 2 }),
    ),
  );
  agent.customizeCollection('orders', (orders) =>
    orders
      .addSegment('Paid', { field: 'status', operator: 'Equal', value: 'paid' })
      .addAction('Refund', {
        scope: 'Single',
        form: [
          { type: 'Number', label: 'Amount', isRequired: true },
          { type: 'Enum', label: 'Reason', enumValues: ['late', 'other'] },
          { type: 'String', label: 'Details', if: ({ formValues }) => formValues['Reason'] === 'other' },
          { type: 'Date', label: 'From' },
          { type: 'File', label: 'Proof' },
          { type: 'StringList', label: 'Tags' },
          { type: 'Collection', label: 'Customer', collectionName: 'customers' },
        ],
        execute: (context, result) => {
          if (context.formValues['Amount'] === 0) return result.error('Nothing to refund.', { html: '<b>0</b>' });
          const proof = context.formValues['Proof'] as { name: string; buffer: Buffer } | null | undefined;
          const shown = { ...context.formValues, Proof: proof ? `${proof.name}: ${proof.buffer}` : null };
          return result.success(JSON.stringify(shown), { html: '<i>done</i>', invalidated: ['lines'] });
        },
      })
      .addAction('Wizard', {
        scope: 'Global',
        form: [
          {
            type: 'Layout',
            component: 'Page',
            nextButtonLabel: 'On',
            elements: [
              { type: 'Layout', component: 'HtmlBlock', content: '<h1>Hello</h1>' },
              {
                type: 'Layout',
                component: 'Row',
                fields: [
                  {
                    type: 'String',
                    label: 'Colour',
                    widget: 'ColorPicker',
                    enableOpacity: true,
                    quickPalette: ['#fff'],
                  },
                  {
                    type: 'StringList',
                    label: 'Days',
                    widget: 'CheckboxGroup',
                    options: [
                      { value: 'mo', label: 'Monday' },
                      { value: 'tu', label: 'Tuesday' },
                    ],
                  },
                ],
              },
            ],
          },
          {
            type: 'Layout',
            component: 'Page',
            previousButtonLabel: 'Back',
            elements: [
              { type: 'Layout', component: 'Separator' },
              {
                type: 'String',
                label: 'Country',
                widget: 'Dropdown',
                search: 'dynamic',
                options: (_context, text) => ['France', 'Finland', 'Spain'].filter((name) => name.includes(text ?? '')),
              },
              { type: 'Boolean', label: 'Sure', widget: 'Checkbox' },
            ],
          },
        ],
        execute: (context, result) => result.success(JSON.stringify(context.formValues)),
      })
      .addAction('Report', {
        scope: 'Bulk',
        generateFile: true,
        execute: async (context, result) =>
          result.file(`ids ${(await context.getRecordIds()).join()}`, 'bericht ü.txt', 'text/plain'),
      })
      .addAction('Go', { scope: 'Global', execute: (_context, result) => result.redirectTo('/orders') })
      .addAction('Call', {
        scope: 'Global',
        execute: (_context, result) => result.webhook('https://example.test', 'POST', { a: 'b' }, { c: 1 }),
      }),
  );
}

/** A small shop with actions of every kind, and a client for it. The caller closes it. */
export function startTestedShop(): Promise<TestAgent> {
  return openShopTestAgent({ customize: customizeShop, sqlOptions: { liveQueryConnections: 'main' } });
}
