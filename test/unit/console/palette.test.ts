import { describe, expect, it } from 'vitest';
import { bestMatches } from '../../../src/console/app/best-matches.ts';

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const found = (places: readonly { readonly name: string }[], text: string) =>
  bestMatches(places, text).map(({ name }) => name);

describe('the palette', () => {
  const places = named('addresses', 'back_orders', 'order_items', 'orders', 'reorders', 'Orders by month');

  it('offers the name that is nearest to what somebody types', () => {
    expect(found(places, 'ord')).toEqual(['orders', 'order_items', 'Orders by month', 'back_orders', 'reorders']);
    expect(found(places, ' ORDERS ')).toEqual(['orders', 'Orders by month', 'back_orders', 'reorders']);
    expect(found(places, 'nothing')).toEqual([]);
  });

  it('offers every place, in their order before anything is typed', () => {
    const many = named(...Array.from({ length: 300 }, (_, index) => `collection ${index}`));
    expect(found(many, '')).toEqual(many.map(({ name }) => name));
    expect(found(many, '299')).toEqual(['collection 299']);
    expect(found(many, 'coll')).toHaveLength(300);
  });
});
