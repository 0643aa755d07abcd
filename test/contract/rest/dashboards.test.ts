import { describe, expect, it } from 'vitest';
import type { BuiltDashboard, DashboardChart } from '#contracts/dashboards';
import type { VisibleSchema } from '#contracts/visible-schema';
import { isCloudError } from '#kernel/errors/cloud-error';
import { platformOfRole } from '../../helpers/role-platform.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';
import { customizeShop } from './shop.ts';

const counted = { title: 'By status', collection: 'orders', type: 'Pie', aggregator: 'Count' } as const;
const byStatus = { ...counted, groupByFieldName: 'status' } as const;
const byCustomer = { ...counted, groupByFieldName: 'customer:name' } as const;

function dashboardOf(...charts: DashboardChart[]): BuiltDashboard {
  return { name: 'sales', title: 'Sales', charts, lines: charts.map((_, index) => 10 + index) };
}

/** What is wrong with a chart, and the line that the error points at. */
async function faultOf(chart: DashboardChart): Promise<string> {
  const { runtime } = await startShopAgent(customizeShop);
  const dashboards = [dashboardOf({ chart: 'Orders' }, chart)];
  const error: unknown = await runtime.load(customizeShop, undefined, { dashboards }).then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  if (!isCloudError(error)) throw new Error('The dashboard was taken.');
  return `${error.code} ${error.location?.line} ${error.message}`;
}

describe('dashboards', () => {
  it('are in the schema, and their charts are answered', async () => {
    const agent = await startShopAgent(customizeShop);
    await agent.runtime.load(customizeShop, undefined, { dashboards: [dashboardOf({ chart: 'Orders' }, byStatus)] });
    const { json } = await call(agent, '/_internal/schema', { timezone: null });
    expect((json as VisibleSchema).dashboards).toEqual([
      { name: 'sales', title: 'Sales', charts: [{ chart: 'Orders' }, byStatus] },
    ]);
  });

  it('have another revision when a title changes', async () => {
    const agent = await startShopAgent(customizeShop);
    const revisions: string[] = [];
    for (const title of ['One', 'Two']) {
      await agent.runtime.load(customizeShop, undefined, { dashboards: [{ ...dashboardOf(byStatus), title }] });
      const { json } = await call(agent, '/_internal/schema', { timezone: null });
      revisions.push((json as VisibleSchema).revision);
    }
    expect(new Set(revisions).size).toBe(2);
  });

  it('have the charts for which somebody has the rights, and let these be asked', async () => {
    const platform = platformOfRole({ rights: { orders: { browseEnabled: true, readEnabled: true } }, actions: {} });
    const agent = await startShopAgent(customizeShop, { platform });
    const before = await call(agent, '/stats/orders', { method: 'POST', body: byStatus });
    await agent.runtime.load(customizeShop, undefined, { dashboards: [dashboardOf(byStatus, byCustomer)] });
    const { json } = await call(agent, '/_internal/schema', { timezone: null });
    expect((json as VisibleSchema).dashboards.map(({ charts }) => charts)).toEqual([[byStatus]]);
    const ask = async (body: unknown) => (await call(agent, '/stats/orders', { method: 'POST', body })).status;
    const other = { ...byStatus, filter: { field: 'status', operator: 'equal', value: 'paid' } };
    expect([before.status, await ask(byStatus), await ask(byCustomer), await ask(other)]).toEqual([403, 200, 403, 403]);
  });

  it('leave out the charts that name what somebody does not see, or may not ask for', async () => {
    const rights = { browseEnabled: true, readEnabled: true };
    const platform = platformOfRole({
      rights: { orders: rights, customers: rights },
      fields: {
        orders: { status: { read: true, filter: false, write: true } },
        customers: { name: { read: 'last4', filter: false, write: false } },
      },
    });
    const agent = await startShopAgent(customizeShop, { platform });
    const byDay = { ...counted, type: 'Line', groupByFieldName: 'placed_at', timeRange: 'Day' } as const;
    const paid = { ...byDay, filter: { field: 'status', operator: 'equal', value: 'paid' } } as const;
    const dashboards = [dashboardOf(byStatus, byCustomer, byDay, paid)];
    await agent.runtime.load(customizeShop, undefined, { dashboards });
    const { json } = await call(agent, '/_internal/schema', { timezone: null });
    expect((json as VisibleSchema).dashboards.map(({ charts }) => charts)).toEqual([[byDay]]);
    const { status } = await call(agent, '/stats/orders', { method: 'POST', body: byStatus });
    expect(status).toBe(403);
  });

  it.each<[string, DashboardChart, string]>([
    ['chart', { chart: 'Order' }, 'Did you mean "Orders"?'],
    ['collection', { ...byStatus, collection: 'order' }, 'Did you mean "orders"?'],
    ['field to group by', { ...byStatus, groupByFieldName: 'statu' }, 'Did you mean "status"?'],
    [
      'field of a filter',
      { ...byStatus, filter: { field: 'statu', operator: 'equal', value: 'paid' } },
      'Did you mean "status"?',
    ],
    [
      'operator for the field',
      { ...byStatus, filter: { field: 'status', operator: 'previous_week' } },
      'Invalid filters',
    ],
    ['field to add up', { ...byStatus, aggregator: 'Sum', aggregateFieldName: 'status' }, '"status" is not a number.'],
    [
      'relation',
      { ...counted, type: 'Leaderboard', labelFieldName: 'ref', relationshipFieldName: 'line' },
      'Did you mean "lines"?',
    ],
    [
      'variable',
      { ...byStatus, filter: { field: 'status', operator: 'equal', value: '{{currentUser.email}}' } },
      'dashboards take none',
    ],
  ])('are refused with the line of the chart for an unknown %s', async (_what, chart, message) => {
    const fault = await faultOf(chart);
    expect(fault).toMatch(/^DASHBOARD_INVALID 11 The chart 2 of dashboards\/sales\.json is not valid: /);
    expect(fault).toContain(message);
  });
});
