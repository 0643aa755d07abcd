import { describe, expect, it } from 'vitest';
import type { RecordChart } from '#contracts/dashboards';
import type { VisibleCollection } from '#contracts/visible-schema';
import { aggregateCall } from '../../../src/console/chart/aggregate-call.ts';
import { periodOf } from '../../../src/console/chart/counted-records.ts';
import { bucketsBetween } from '../../../src/runtime/charts/chart-periods.ts';

describe('the days of a point of a chart', () => {
  it.each(['Day', 'Week', 'Month', 'Quarter', 'Year'] as const)('follow from the label of each %s', (range) => {
    const first = {
      Day: '2023-12-25',
      Week: '2020-12-21',
      Month: '2023-10-01',
      Quarter: '2023-07-01',
      Year: '1999-01-01',
    };
    const last = {
      Day: '2024-03-05',
      Week: '2027-02-01',
      Month: '2026-02-01',
      Quarter: '2026-01-01',
      Year: '2027-01-01',
    };
    const buckets = bucketsBetween([first[range], last[range]], range);
    const periods = buckets.map(({ label }) => periodOf(label));
    expect(periods.map((period) => period?.from)).toEqual(buckets.map(({ firstDay }) => firstDay));
    expect(periods.slice(0, -1).map((period) => period?.until)).toEqual(
      buckets.slice(1).map(({ firstDay }) => firstDay),
    );
  });

  it('are not guessed for other labels', () => {
    expect(['', 'Tuesday', 'Foo 26', 'Q5-2026'].map(periodOf)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('the call of MCP that has the figures of a chart', () => {
  const relations = [
    { name: 'orders', kind: 'OneToMany', collection: 'orders', inverse: 'customer' },
    { name: 'tags', kind: 'ManyToMany', collection: 'tags', inverse: 'customers' },
    { name: 'manager', kind: 'ManyToOne', collection: 'people', inverse: null, keys: ['manager_id'] },
  ];
  const customers = { relations } as unknown as VisibleCollection;
  const filter = { field: 'tier', operator: 'not_equal', value: 'gold' };
  const chart = (more: Partial<RecordChart>): RecordChart => ({
    title: 'A',
    collection: 'customers',
    type: 'Value',
    aggregator: 'Count',
    filter,
    ...more,
  });
  const asked = (more: Partial<RecordChart>) => {
    const call = aggregateCall(chart(more), customers);
    return call && (JSON.parse(JSON.stringify(call.arguments)) as unknown);
  };
  const base = { collectionName: 'customers', aggregates: [{ operation: 'Count' }] };
  const filters = { field: 'tier', operator: 'NotEqual', value: 'gold' };

  it('groups as the chart does', () => {
    expect(asked({})).toEqual({ ...base, groupBy: [], filters });
    expect(asked({ type: 'Pie', groupByFieldName: 'tier' })).toEqual({
      ...base,
      groupBy: [{ field: 'tier' }],
      filters,
    });
    expect(asked({ type: 'Pie', groupByFieldName: 'manager' })).toEqual({
      ...base,
      groupBy: [{ field: 'manager_id' }],
      filters,
    });
    expect(asked({ type: 'Line', groupByFieldName: 'created_at', timeRange: 'Month' })).toEqual({
      ...base,
      groupBy: [{ field: 'created_at', bucket: 'Month' }],
      filters,
    });
  });

  it('measures related records by what they lead to, where a relation leads back', () => {
    const board = {
      type: 'Leaderboard',
      labelFieldName: 'email',
      aggregator: 'Sum',
      aggregateFieldName: 'total',
    } as const;
    expect(asked({ ...board, relationshipFieldName: 'orders' })).toEqual({
      collectionName: 'orders',
      aggregates: [{ operation: 'Sum', field: 'total' }],
      groupBy: [{ field: 'customer:email' }],
      filters: { ...filters, field: 'customer:tier' },
      limit: 10,
    });
    expect(asked({ ...board, relationshipFieldName: 'tags' })).toBeUndefined();
  });
});
