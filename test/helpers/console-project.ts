import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectConfigFile } from '#contracts/project-config';
import type { RestSettings } from '#contracts/rest-settings';
import { flowContext } from './flow-context.ts';
import { createShopProject } from './shop-project.ts';

/** Actions of every scope, with forms and results of every kind, and a chart of every kind. */
const code = `
import type { Agent } from '@vendor/cloud';
import type { Schema } from '../typings.js';

export default function customize(agent: Agent<Schema>): void {
  agent
    .addChart('Revenue', async (_context, result) => result.value(1204, 1100))
    .addChart('Share', async (_context, result) => result.percentage(62))
    .addChart('Goal', async (_context, result) => result.objective(62, 100))
    .addChart('Statuses', async (_context, result) => result.distribution({ paid: 12, shipped: 9, cancelled: 1 }))
    .addChart('Nothing', async (_context, result) => result.distribution({}))
    .addChart('No months', async (_context, result) => result.timeBased('Month', []))
    .addChart('Balances', async (_context, result) => result.distribution({ 'Customers of the northern region': 123456789012, debts: -23456789012 }))
    .addChart('Best', async (_context, result) => result.leaderboard({ Ada: 12, Bob: 9 }))
    .addChart('Months', async (_context, result) => result.timeBased('Month', [{ date: '2026-01-01', value: 3 }, { date: '2026-02-01', value: 5 }]))
    .addChart('Lines', async (_context, result) => result.multipleTimeBased('Month', ['2026-01-01', '2026-02-01'], [{ label: 'a', values: [1, 2] }, { label: 'b', values: [3, 4] }]))
    .addChart('Rows', async (_context, result) => result.smart([{ a: 1 }, { a: 2, b: 'x' }]))
    .addChart('Broken', async () => { throw new Error('not in the answer'); });
  agent.customizeCollection('customers', (customers) => {
    customers.setTitle('full_name').addChart('Orders of it', async (_context, result) => result.value(3));
  });
  agent.customizeCollection('orders', (orders) => {
    orders
      .keepHistory()
      .setFieldTones('status', { paid: 'success', shipped: 'info', cancelled: 'danger', pending: 'warning' })
      .addAction('Refund', {
        scope: 'Single',
        submitButtonLabel: 'Refund now',
        form: [
          { type: 'Layout', component: 'Page', elements: [
            { type: 'Number', label: 'Amount', isRequired: true, defaultValue: async (context) => Number(await context.getField('total')) },
            { type: 'Enum', label: 'Reason', enumValues: ['late', 'other'] },
            { type: 'String', label: 'Details', isRequired: true, if: ({ formValues }) => formValues['Reason'] === 'other' },
          ] },
          { type: 'Layout', component: 'Page', elements: [
            { type: 'Layout', component: 'HtmlBlock', content: '<b>Sure?</b><script>parent.document.title = "taken"</' + 'script>' },
            { type: 'Collection', label: 'Approver', collectionName: 'customers' },
          ] },
        ],
        execute: async (context, result) => result.success('Refunded ' + context.formValues['Amount'] + ' ' + (context.formValues['Details'] ?? '')),
      })
      .addAction('Report', { scope: 'Bulk', generateFile: true, execute: async (context, result) => result.file('a;b\\n' + (await context.getRecordIds()).length, 'report é.csv', 'text/csv') })
      .addAction('Call', {
        scope: 'Global',
        form: [{ type: 'String', label: 'Address', defaultValue: 'https://example.test/hook' }],
        execute: async (context, result) => result.webhook(String(context.formValues['Address']), 'POST', { 'x-a': '1' }, { b: 2 }),
      })
      .addAction('Refuse', { scope: 'Single', execute: async (_context, result) => result.error('Not today') })
      .addAction('Tell', { scope: 'Single', execute: async (_context, result) => result.success('Told', { html: '<p>Read this</p>' }) });
  });
}
`;

/** The sample shop, and tables of these statements. */
export async function createProjectWith(...statements: readonly string[]): Promise<string> {
  const root = await createShopProject();
  const database = await flowContext(root).openDatabase(path.join(root, 'shop.sqlite'));
  for (const statement of statements) database.execute(statement);
  database.close();
  return root;
}

/** The sample shop with this code, to be served. */
export async function createConsoleProject(rest: RestSettings = {}): Promise<string> {
  const root = await createShopProject();
  const configFile = path.join(root, projectConfigFile);
  const config = JSON.parse(await readFile(configFile, 'utf8')) as object;
  await writeFile(configFile, JSON.stringify({ ...config, rest }));
  await writeFile(path.join(root, 'src/index.ts'), code);
  return root;
}
