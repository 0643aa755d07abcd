import { describe, expect, it } from 'vitest';
import { listQuery } from '#testing/records/list-query';

describe('the query of a list', () => {
  it('carries nothing without options', () => {
    expect([...listQuery('orders', {})]).toEqual([]);
  });

  it('carries every option as the agent reads it', () => {
    const query = listQuery('orders', {
      search: 'late',
      shouldSearchInRelation: false,
      segment: 'To ship',
      sort: { field: 'customer:email', ascending: false },
      pagination: { size: 5, number: 2 },
      fields: ['reference', 'customer@@@email', 'customer:full_name'],
    });
    expect(Object.fromEntries(query)).toEqual({
      search: 'late',
      searchExtended: 'false',
      segment: 'To ship',
      sort: '-customer:email',
      'page[size]': '5',
      'page[number]': '2',
      'fields[orders]': 'reference,customer',
      'fields[customer]': 'email,full_name',
    });
  });

  it('writes operators in snake case, at any depth', () => {
    const filters = {
      aggregator: 'And',
      conditions: [
        { field: 'total', operator: 'GreaterThan', value: 1 },
        {
          aggregator: 'Or',
          conditions: [
            { field: 'note', operator: 'ILike', value: '%x%' },
            { field: 'note', operator: 'blank' },
          ],
        },
        { field: 'ordered_at', operator: 'PreviousXDays', value: 3 },
      ],
    } as const;
    expect(JSON.parse(listQuery('orders', { filters }).get('filters') ?? '')).toEqual({
      aggregator: 'and',
      conditions: [
        { field: 'total', operator: 'greater_than', value: 1 },
        {
          aggregator: 'or',
          conditions: [
            { field: 'note', operator: 'i_like', value: '%x%' },
            { field: 'note', operator: 'blank' },
          ],
        },
        { field: 'ordered_at', operator: 'previous_x_days', value: 3 },
      ],
    });
  });

  it('refuses a field behind two relations', () => {
    expect(() => listQuery('order_items', { fields: ['order:customer:email'] })).toThrowError(
      expect.objectContaining({ code: 'REQUEST_INVALID' }),
    );
  });
});
