import { describe, expect, it } from 'vitest';

import { recordsOf } from '#testing/records/record-document';
import { packId } from '#testing/wire/record-id';

describe('the records of a JSON:API document', () => {
  it('have attributes and to-one relations side by side, names in camel case, JSON values as they are', () => {
    const body = {
      jsonapi: { version: '1.0' },
      data: [
        {
          type: 'orders',
          id: '4',
          attributes: { id: 4, shipped_at: null, extra_data: { snake_key: 1 } },
          relationships: {
            customer: { data: { type: 'customers', id: '1' } },
            coupon: { data: null },
            order_items: { links: { related: { href: '/x' } } },
          },
        },
      ],
      included: [{ type: 'customers', id: '1', attributes: { id: 1, full_name: 'Zed' } }],
    };
    expect(recordsOf(body)).toEqual([
      { id: 4, shippedAt: null, extraData: { snake_key: 1 }, customer: { id: 1, fullName: 'Zed' }, coupon: null },
    ]);
  });

  it('end where records refer to each other', () => {
    const relationships = (id: string) => ({ peer: { data: { type: 'users', id } } });
    const body = {
      data: { type: 'users', id: '1', relationships: relationships('2') },
      included: [
        { type: 'users', id: '2', relationships: relationships('1') },
        { type: 'users', id: '1', relationships: relationships('2') },
      ],
    };
    expect(recordsOf(body)).toEqual([{ id: '1', peer: { id: '2', peer: { type: 'users', id: '1' } } }]);
  });

  it('are absent where there is no data', () => {
    expect(recordsOf({ data: null })).toEqual([]);
  });
});

describe('a packed id', () => {
  it('joins the parts of a composite key', () => {
    expect(packId([3, 'x'])).toBe('3|x');
    expect(packId(7)).toBe('7');
  });

  it('is refused when a part holds the separator', () => {
    expect(() => packId(['a|b', 1])).toThrowError(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });
});
