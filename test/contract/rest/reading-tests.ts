import { describe, expect, it } from 'vitest';
import { expectError, idsOf } from './expectations.ts';
import type { Client } from './rest-suite.ts';

export function readingTests({ ask, url }: Client): void {
  const link = (target: string) => ({ links: { related: { href: `${new URL(url()).pathname}${target}` } } });

  describe('reading', () => {
    it('lists records as JSON:API, with links below the prefix and each linked record once', async () => {
      const query = 'sort=-id&page[size]=2&page[number]=2&fields[orders]=ref,customer&fields[customer]=name';
      const { status, json } = await ask(`/orders?${query}`);
      const order = (id: number) => ({
        type: 'orders',
        id: `${id}`,
        attributes: { id, ref: `A-${id}` },
        relationships: {
          customer: { data: { type: 'customers', id: '1' } },
          lines: link(`/orders/${id}/relationships/lines`),
        },
      });
      expect(status).toBe(200);
      expect(json).toEqual({
        jsonapi: { version: '1.0' },
        data: [order(2), order(1)],
        included: [
          {
            type: 'customers',
            id: '1',
            attributes: { id: 1, name: 'Zed' },
            relationships: { orders: link('/customers/1/relationships/orders') },
          },
        ],
      });
    });

    it.each([
      ...['#9 page[size]=0', '#9 page[number]=-1', 'page[size]=x', 'sort=nope', 'sort=,', 'segment=nope'],
      ...['#10 fields[orders]=id,customer', 'fields[orders]=id,lines', 'fields[orders]=customer:name'],
    ])('refuses %s', async (query) => {
      expectError(await ask(`/orders?${query.replace(/^#\d+ /, '')}`), 400);
    });

    it('#11 lets the projection of the header win over that of the query', async () => {
      const headers = { 'Service-Projection': ' customer:name ' };
      const { json } = await ask('/orders/1?fields[orders]=ref', { headers });
      expect(json).toMatchObject({
        data: { attributes: { id: 1 } },
        included: [{ attributes: { id: 1, name: 'Zed' } }],
      });
      expect(json).not.toHaveProperty('data.attributes.ref');
    });

    it('takes the bytes of the header for UTF-8, else for ISO 8859-1', async () => {
      for (const bytes of [Buffer.from('größe, שלום'), Buffer.from('größe', 'latin1')]) {
        const { status, text } = await ask('/orders/1', {
          headers: { 'Service-Projection': bytes.toString('latin1') },
        });
        expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining('größe') });
      }
    });

    it('#16 does not count what is not to be counted, and needs no time zone to say so', async () => {
      const { status, json } = await ask('/events/count', { timezone: null });
      expect({ status, json }).toEqual({ status: 200, json: { meta: { count: 'deactivated' } } });
      expect((await ask('/orders/count')).json).toEqual({ count: 4 });
      expect((await ask('/orders/count?segment=paid')).json).toEqual({ count: 2 });
    });

    it('#17 addresses composite keys, and refuses an id with another number of parts', async () => {
      const { json } = await ask('/lines/4%7Cab');
      expect(json).toMatchObject({ data: { id: '4|ab', attributes: { quantity: 3 } } });
      for (const id of ['4', '4%7Ca%7Cb', 'x%7Cab']) expectError(await ask(`/lines/${id}`), 400, 'ValidationError');
    });

    it('says 404 for a record that does not exist', async () => {
      expectError(await ask('/orders/99'), 404, 'NotFoundError');
    });

    it('exports records as CSV, relations in columns, with a time of their own', async () => {
      const query =
        'fields[orders]=ref,total,customer&fields[customer]=name&header=["Ref","Total","Name"]&filename=all';
      const { status, text, headers } = await ask(`/orders.csv?${query}&sort=-id`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(headers.get('content-disposition')).toContain('filename="all.csv"');
      expect(text).toBe('Ref,Total,Name\nA-4,40.00,\nA-3,,Ünal\nA-2,20.00,Zed\nA-1,10.50,Zed\n');
    });

    it('lists, counts and exports the records that are related to one', async () => {
      const target = '/customers/1/relationships/orders';
      expect(idsOf(await ask(`${target}?sort=-id`))).toEqual(['2', '1']);
      expect(idsOf(await ask(`${target}?search=A-2`))).toEqual(['2']);
      expect((await ask(`${target}/count`)).json).toEqual({ count: 2 });
      expect((await ask(`${target}.csv?fields[orders]=ref&header=Ref&sort=id`)).text).toBe('Ref\nA-1\nA-2\n');
      expect(idsOf(await ask('/customers/99/relationships/orders'))).toEqual([]);
    });

    it('tells what the collections can do', async () => {
      const body = { collectionNames: ['orders', 'nope'] };
      const { status, json } = await ask('/_internal/capabilities', { method: 'POST', body, timezone: null });
      expect(status).toBe(200);
      const { collections } = json as { collections: { name: string; fields: unknown[] }[] };
      expect(collections.map(({ name }) => name)).toEqual(['orders']);
      expect(collections[0]?.fields).toContainEqual({ name: 'customer', type: 'ManyToOne', isGroupable: true });
    });
  });
}
