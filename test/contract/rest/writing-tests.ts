import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallResult } from '../../helpers/rest-call.ts';
import { expectError, idOf, idsOf } from './expectations.ts';
import type { Client } from './rest-suite.ts';

/** Every test takes back what it wrote, so that the shop is the same for the next one. */
export function writingTests({ ask }: Client): void {
  const send = (method: string, target: string, body: unknown) => ask(target, { method, body });
  const remove = (target: string, attributes: object) => send('DELETE', target, { data: { attributes } });

  async function create(target: string, data: object): Promise<CallResult> {
    const created = await send('POST', target, { data });
    expect(created.status).toBe(200);
    onTestFinished(async () => {
      await remove(target, { ids: [idOf(created)] });
    });
    return created;
  }
  /** A new order of the second customer; its id. */
  const createOrder = async (ref: string) =>
    idOf(await create('/orders', { attributes: { ref }, relationships: { customer: { data: { id: '2' } } } }));

  describe('writing', () => {
    it('#19 creates a record of nothing where the table allows it', async () => {
      const created = await send('POST', '/a%20b%2F%C3%A7', {});
      expect(created.json).toMatchObject({ data: { type: 'a b/ç', attributes: { label: null } } });
      expect((await ask(`/a%20b%2F%C3%A7/${idOf(created)}`, { method: 'DELETE' })).status).toBe(204);
    });

    it('#20 refuses attributes and relationships that do not exist, and values of another type', async () => {
      const post = (data: object) => send('POST', '/orders', { data });
      expectError(await post({ attributes: { reff: 'x' } }), 400, 'MissingFieldError');
      expectError(await post({ attributes: { ref: 'x' }, relationships: { nope: { data: null } } }), 400);
      expectError(await post({ attributes: { ref: 12 } }), 400, 'ValidationError');
    });

    it('creates a record that is linked, and answers with what the database made of it', async () => {
      const created = await create('/orders', {
        attributes: { ref: 'new', total: '12.30' },
        relationships: { customer: { data: { type: 'customers', id: '2' } }, lines: { data: [] } },
      });
      expect(created.json).toMatchObject({
        data: {
          attributes: { ref: 'new', status: 'draft', total: '12.30' },
          relationships: { customer: { data: { type: 'customers', id: '2' } } },
        },
      });
      expect((await ask(`/orders/${idOf(created)}`)).json).toMatchObject({
        included: [{ type: 'customers', id: '2' }],
      });
    });

    it('#21 answers an update of what is not there with no data', async () => {
      const { status, json } = await send('PUT', '/orders/99', { data: { attributes: { status: 'paid' } } });
      expect({ status, json }).toEqual({ status: 200, json: { jsonapi: { version: '1.0' }, data: null } });
    });

    it('#22 updates the attributes that are given, and no relationships beside them', async () => {
      const id = await createOrder('update');
      const data = { id, attributes: { status: 'paid' }, relationships: { customer: { data: { id: '1' } } } };
      const { status, json } = await send('PUT', `/orders/${id}`, { data });
      expect(status).toBe(200);
      expect(json).toMatchObject({
        data: { attributes: { ref: 'update', status: 'paid' }, relationships: { customer: { data: { id: '2' } } } },
      });
      expectError(await send('PUT', `/orders/${id}`, {}), 400);
      expectError(await send('PUT', `/orders/${id}`, { data: { attributes: {} } }), 400);
    });

    it('#23 deletes everything only where it is asked what not to', async () => {
      expectError(await remove('/orders', { all_records: true }), 400);
      expectError(await remove('/orders', { ids: [4] }), 400);
      expect((await remove('/orders', { ids: [] })).status).toBe(204);
      expect((await ask('/orders/count')).json).toEqual({ count: 4 });
    });

    it('deletes what a selection holds, and a record that is gone already', async () => {
      const ids = [await createOrder('gone 1'), await createOrder('gone 2'), await createOrder('gone 3')];
      const filters = JSON.stringify({ field: 'ref', operator: 'starts_with', value: 'gone' });
      const subset = { all_records: true, all_records_subset_query: { filters } };
      expect((await remove('/orders', { ...subset, all_records_ids_excluded: [ids[1]] })).status).toBe(204);
      expect(idsOf(await ask('/orders?search=gone'))).toEqual([ids[1]]);
      for (const _attempt of [1, 2]) {
        const { status, text } = await ask(`/orders/${ids[1]}`, { method: 'DELETE' });
        expect([status, text]).toEqual([204, '']);
      }
      expect((await ask('/orders/count')).json).toEqual({ count: 4 });
    });

    it('#24 lets go of related records, those that are named', async () => {
      const target = '/customers/2/relationships/orders';
      expectError(await remove(target, { ids: [], all_records: false }), 400);
      const id = await createOrder('linked');
      expect((await remove(target, { ids: [id] })).status).toBe(204);
      expect(idsOf(await ask(target))).toEqual(['3']);
      expect((await send('POST', target, { data: [{ type: 'orders', id }] })).status).toBe(204);
      expect(idsOf(await ask(`${target}?sort=id`))).toEqual(['3', id]);
      expect((await remove(`${target}?delete=true`, { ids: [id] })).status).toBe(204);
      expectError(await ask(`/orders/${id}`), 404);
    });

    it('#25 clears and sets a link to one record', async () => {
      const id = await createOrder('owned');
      const put = (data: unknown) => send('PUT', `/orders/${id}/relationships/customer`, { data });
      const customer = async () =>
        ((await ask(`/orders/${id}`)).json as { data: { attributes: { customer_id: unknown } } }).data.attributes;
      expect((await put(null)).status).toBe(204);
      expect(await customer()).toMatchObject({ customer_id: null });
      expect((await put({ type: 'customers', id: '1' })).status).toBe(204);
      expect(await customer()).toMatchObject({ customer_id: 1 });
    });
  });
}
