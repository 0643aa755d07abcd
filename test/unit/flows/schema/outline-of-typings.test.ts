import { expect, it } from 'vitest';
import { outlineOfTypings } from '#flows/schema/outline-of-typings';

it('the outline of generated types has their fields and relations with their types', () => {
  const text = `type DateText = string;

export interface Schema {
  orders: {
    fields: {
      kind: 'a' | 'b: c';
      'two words': { x: number };
    };
    relations: {
      customer: 'customers' | null;
    };
  };
  empty: {
    fields: {
    };
    relations: Record<never, never>;
  };
}
`;
  expect(outlineOfTypings(text)).toEqual([
    {
      name: 'orders',
      facts: {},
      parts: [
        { kind: 'field', name: 'kind', facts: { type: "'a' | 'b: c'" } },
        { kind: 'field', name: "'two words'", facts: { type: '{ x: number }' } },
        { kind: 'relation', name: 'customer', facts: { type: "'customers' | null" } },
      ],
    },
    { name: 'empty', facts: {}, parts: [] },
  ]);
});
