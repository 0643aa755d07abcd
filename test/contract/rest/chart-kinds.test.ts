import { expect, it } from 'vitest';
import type { Agent, ChartResultBuilder } from '../../../src/exports/index.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';

const day = new Date('2024-04-01T10:00:00.000Z');
const kinds: Readonly<Record<string, (result: ChartResultBuilder) => ReturnType<ChartResultBuilder['value']>>> = {
  Value: (result) => result.value(1),
  Objective: (result) => result.objective(1, 2),
  Percentage: (result) => result.percentage(1),
  Pie: (result) => result.distribution({ a: 1 }),
  Leaderboard: (result) => result.leaderboard({ a: 1 }),
  Line: (result) => result.timeBased('Day', [{ date: day, value: 1 }]),
  Smart: (result) => result.smart({ anything: true }),
};

it.each(Object.entries(kinds))('the answer of a chart says its kind: %s', async (kind, make) => {
  const agent = await startShopAgent((shop: Agent) =>
    shop
      .addChart('chart', (_context, result) => make(result))
      .customizeCollection('orders', (orders) => orders.addChart('chart', (_context, result) => make(result))),
  );
  for (const target of ['/_charts/chart', '/_charts/orders/chart?record_id=1']) {
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await call(agent, target, { method });
      expect([status, headers.get('service-chart-kind')]).toEqual([200, kind]);
    }
  }
});

it('a line of several is one too', async () => {
  const agent = await startShopAgent((shop: Agent) =>
    shop.addChart('lines', (_context, result) => result.multipleTimeBased('Day', [day], [{ label: 'a', values: [1] }])),
  );
  expect((await call(agent, '/_charts/lines')).headers.get('service-chart-kind')).toBe('Line');
});
