import { describe, expect, it } from 'vitest';
import { filterCondition } from '#flows/run/filter-condition';

const orders = {
  name: 'orders',
  fields: [
    { name: 'total', type: 'Number' },
    { name: 'isPaid', type: 'Boolean' },
    { name: 'ordered_at', type: 'Date' },
    { name: 'day', type: 'Dateonly' },
    { name: 'status', type: 'Enum' },
  ],
  actions: [],
};

function read(...texts: string[]): unknown {
  return JSON.parse(filterCondition(texts, orders, 'Europe/Paris') ?? 'null');
}

describe('filterCondition', () => {
  it.each([
    ['status=open', { field: 'status', operator: 'equal', value: 'open' }],
    ['status!=open', { field: 'status', operator: 'not_equal', value: 'open' }],
    ['total>100', { field: 'total', operator: 'greater_than', value: 100 }],
    ['total >= 100', { field: 'total', operator: 'greater_than_or_equal', value: 100 }],
    ['total<=12345678901234567890', { field: 'total', operator: 'less_than_or_equal', value: '12345678901234567890' }],
    ['isPaid=true', { field: 'isPaid', operator: 'equal', value: true }],
    ['ordered_at>2026-01-31', { field: 'ordered_at', operator: 'after', value: '2026-01-30T23:00:00.000Z' }],
    ['ordered_at<2026-01-31T12:00Z', { field: 'ordered_at', operator: 'before', value: '2026-01-31T12:00Z' }],
    ['ordered_at>2026-02-31', { field: 'ordered_at', operator: 'after', value: '2026-02-31' }],
    ['day>2026-01-31', { field: 'day', operator: 'after', value: '2026-01-31' }],
    ['customer:name~a=b', { field: 'customer:name', operator: 'i_contains', value: 'a=b' }],
    ['status=', { field: 'status', operator: 'blank' }],
    ['status!=', { field: 'status', operator: 'present' }],
    ['{"field":"id","operator":"in","value":[1]}', { field: 'id', operator: 'in', value: [1] }],
  ])('reads %s', (text, condition) => {
    expect(read(text)).toEqual(condition);
  });

  it('wants all of several conditions to hold, and has none for none', () => {
    expect(read('status=open', 'total>1')).toMatchObject({ aggregator: 'and', conditions: [{}, {}] });
    expect(read()).toBeNull();
  });

  it.each(['status', '{"field":'])('refuses %s', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'USAGE_INVALID' }));
  });
});
