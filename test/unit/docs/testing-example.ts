import { expect } from 'vitest';
import { createMemoryDataSource } from '../../../src/exports/agent.ts';
import {
  ActionRequiresApprovalError,
  createAgentTestClient,
  createForestServerSandbox,
  startTestAgent,
  type TestAgent,
} from '../../../src/exports/agent-testing.ts';
import type { Agent } from '../../../src/exports/index.ts';

export function customize(agent: Agent): void {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addSegment('Paid', { field: 'status', operator: 'Equal', value: 'paid' })
      .addSegment('Placed today', { field: 'placed_at', operator: 'Today' })
      .addAction('Refund', {
        scope: 'Single',
        form: [
          { type: 'Number', label: 'Amount', isRequired: true },
          { type: 'Enum', label: 'Reason', enumValues: ['late', 'other'] },
          { type: 'String', label: 'Details', if: ({ formValues }) => formValues['Reason'] === 'other' },
        ],
        execute: (context, result) => result.success(`Refunded ${context.formValues['Amount']}.`),
      }),
  );
  agent.addChart('Orders', async (context, result) => {
    const [row] = await context.dataSource.getCollection('orders').aggregate({}, { operation: 'Count' });
    return result.value(Number(row?.value));
  });
}

export function startShop(): Promise<TestAgent> {
  return startTestAgent({
    customize,
    dataSource: createMemoryDataSource([
      {
        name: 'customers',
        schema: {
          columns: [
            { name: 'id', type: 'Number', isAutoIncrement: true },
            { name: 'full_name', type: 'String' },
          ],
          primaryKey: ['id'],
        },
        records: [{ id: 1, full_name: 'Ada Lovelace' }],
      },
      {
        name: 'orders',
        schema: {
          columns: [
            { name: 'id', type: 'Number', isAutoIncrement: true },
            { name: 'status', type: 'String' },
            { name: 'total', type: 'Number', isExact: true, scale: 2 },
            { name: 'placed_at', type: 'Date', isNullable: true },
            { name: 'customer_id', type: 'Number', isNullable: true },
          ],
          primaryKey: ['id'],
          foreignKeys: [{ columns: ['customer_id'], foreignTable: 'customers', foreignColumns: ['id'] }],
        },
        records: [
          { id: 1, status: 'paid', total: '10.50', placed_at: '2026-03-01T10:00:00Z', customer_id: 1 },
          { id: 2, status: 'draft', total: '20.00', placed_at: null, customer_id: null },
        ],
      },
    ]),
    now: '2026-03-01T12:00:00Z',
  });
}

export async function records({ client }: TestAgent): Promise<void> {
  const orders = client.collection('orders');
  const [first] = await orders.list({
    fields: ['total', 'customer@@@full_name'],
    filters: { field: 'status', operator: 'Equal', value: 'paid' },
    sort: { field: 'id', ascending: true },
    pagination: { size: 10, number: 1 },
  });
  expect(first).toMatchObject({ total: '10.50', customer: { fullName: 'Ada Lovelace' } });

  const { id } = await orders.create({ status: 'draft', total: '0.10', placed_at: new Date() });
  await orders.update(Number(id), { status: 'paid' });
  expect(await orders.segment('Paid').count()).toBe(2);
  expect(await orders.segment('Paid').exportCsvText({ fields: ['id', 'total'] })).toBe('id,total\n1,10.50\n3,0.10\n');
  await orders.delete([Number(id)]);
}

export async function relations({ client }: TestAgent): Promise<void> {
  const ofAda = client.collection('customers').relation('orders', 1);
  await ofAda.associate(2);
  expect(await ofAda.count()).toBe(2);
  await ofAda.dissociate([2]);

  const customer = client.collection('orders').relation('customer', 2);
  await customer.link(1);
  await customer.link(null);
}

export async function actions({ client }: TestAgent): Promise<void> {
  const refund = await client.collection('orders').action('Refund', { recordId: 1 });
  await refund.getFieldNumber('Amount').fill(12.5);
  await refund.getEnumField('Reason').select('other');
  await refund.setFields({ Details: 'Scratched' });
  expect(refund.getLayout().element(2).getInputId()).toBe('Details');
  expect(await refund.execute()).toMatchObject({ type: 'success', message: 'Refunded 12.5.' });
}

export async function approvals({ client }: TestAgent): Promise<void> {
  await client.setFixtures({
    roles: {
      support: {
        collections: { orders: { browse: true, actions: { Refund: { trigger: true, needsApproval: true } } } },
      },
      managers: { collections: { orders: { browse: true, actions: { Refund: { trigger: true, approve: true } } } } },
    },
    users: [
      { email: 'ada@example.com', role: 'support' },
      { email: 'bob@example.com', role: 'managers' },
    ],
  });
  const asked = await client.as('ada@example.com').collection('orders').action('Refund', { recordId: 1 });
  await asked.setFields({ Amount: 5 });
  await expect(asked.execute()).rejects.toBeInstanceOf(ActionRequiresApprovalError);

  const signedApprovalRequest = await asked.signApprovalRequest();
  const approved = await client.as('bob@example.com').collection('orders').action('Refund', { recordId: 1 });
  expect(await approved.execute({ signedApprovalRequest })).toMatchObject({ message: 'Refunded 5.' });
}

export async function charts({ client }: TestAgent): Promise<void> {
  expect(await client.valueChart('Orders')).toEqual({ countCurrent: 2 });
}

export async function people({ client }: TestAgent): Promise<void> {
  await client.setFixtures({
    roles: { support: { collections: { orders: { browse: true, read: true } } } },
    teams: {
      North: {
        collections: { orders: { scope: { field: 'status', operator: 'equal', value: '{{currentUser.tags.sees}}' } } },
      },
    },
    users: [{ email: 'ada@example.com', role: 'support', team: 'North', tags: { sees: 'paid' } }],
  });
  const orders = client.as('ada@example.com').collection('orders');
  expect(await orders.count()).toBe(1);
  await expect(orders.delete([1])).rejects.toMatchObject({ status: 403 });
}

export async function permissions({ client }: TestAgent): Promise<void> {
  await client.withPermissions({ orders: { collection: { browseEnabled: false } } }, async () => {
    await expect(client.collection('orders').list()).rejects.toMatchObject({ status: 403 });
  });
  expect(await client.collection('orders').count()).toBe(2);
}

export async function date({ client, clock }: TestAgent): Promise<void> {
  const today = client.collection('orders').segment('Placed today');
  expect(await today.count()).toBe(1);
  clock.advance(24 * 60 * 60 * 1000);
  expect(await today.count()).toBe(0);
  clock.set('2026-03-01T12:00:00Z');
}

export async function trouble({ client, sandbox }: TestAgent): Promise<void> {
  sandbox.clearRequests();
  const refused = sandbox.injectFault({ path: /permissions/, status: 403 });
  await client.overrideCollectionPermission('orders', { browseEnabled: true });
  await expect(client.collection('orders').list()).rejects.toMatchObject({ status: 502 });
  expect(sandbox.requests({ method: 'GET', path: /permissions/ })).not.toEqual([]);
  refused.remove();
}

export async function anyAgent(
  startAgent: (environment: { SERVICE_SERVER_URL: string }) => Promise<{ url: string; schemaPath: string }>,
): Promise<void> {
  const sandbox = await createForestServerSandbox(0);
  const { url, schemaPath } = await startAgent({ SERVICE_SERVER_URL: sandbox.url });
  const client = await createAgentTestClient({
    agentForestEnvSecret: 'e'.repeat(64),
    agentForestAuthSecret: 'the auth secret of the agent',
    agentUrl: url,
    serverUrl: sandbox.url,
    agentSchemaPath: schemaPath,
  });
  expect(await client.collection('orders').list()).not.toEqual([]);
  await sandbox.close();
}

export async function speed({ client }: TestAgent): Promise<void> {
  const orders = client.collection('orders');
  const { percentiles, perSecond } = await client
    .benchmark()
    .times(20)
    .warmUp(5)
    .concurrency(4)
    .run(() => orders.list());
  expect(percentiles.p95).toBeLessThan(10_000);
  expect(perSecond).toBeGreaterThan(0);
}
