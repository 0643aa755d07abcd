import { describe, expect, it } from 'vitest';
import { expectError } from './expectations.ts';
import type { Client } from './rest-suite.ts';

export function actionTests({ ask }: Client): void {
  const post = (target: string, body: unknown) => ask(target, { method: 'POST', body });
  const act = (target: string, attributes: object) => post(`/_actions/orders/${target}`, { data: { attributes } });

  describe('actions', () => {
    it('load their form, and run with what was entered', async () => {
      const { status, json } = await act('1/refund/hooks/load', { ids: ['1'] });
      expect({ status, json }).toMatchObject({ status: 200, json: { layout: [], fields: [{ field: 'Reason' }, {}] } });
      const proof = 'data:text/plain;name=a.txt;base64,aGk=';
      const ran = await act('1/refund', { ids: ['1'], values: { Reason: 'late', Proof: proof } });
      expect(ran.json).toEqual({ success: 'Refunded: late', refresh: { relationships: [] } });
    });

    it('#26 fail in words and with headers of their own', async () => {
      const { status, json, headers } = await act('0/fail', {});
      expect({ status, json }).toEqual({ status: 400, json: { error: 'The shop is closed.' } });
      expect(headers.get('x-reason')).toBe('closed');
    });

    it('#27 refuse a file that is not one', async () => {
      const values = { Reason: 'late', Proof: 'data:text/plain,hello' };
      expectError(await act('1/refund', { ids: ['1'], values }), 400, 'ValidationError');
    });

    it('#28 take the requester from a signed request only', async () => {
      expectError(await act('1/refund', { ids: ['1'], values: { Reason: 'late' }, requester_id: 1 }), 422);
    });
  });

  describe('charts', () => {
    it('answer a POST with a document and a GET with the bare value', async () => {
      const { json } = await post('/_charts/Orders', {});
      expect(json).toMatchObject({ data: { type: 'stats', attributes: { value: { countCurrent: 4 } } } });
      expect((await ask('/_charts/Orders')).json).toEqual({ countCurrent: 4 });
      expect((await ask('/_charts/orders/Total?record_id=2')).json).toEqual({ countCurrent: 20 });
      expectError(await ask('/_charts/orders/Total'), 400);
    });

    it('#29 compare with the period before where a filter is one interval', async () => {
      const yesterday = { field: 'placed_at', operator: 'yesterday' };
      const value = { type: 'Value', aggregator: 'Count', sourceCollectionName: 'orders' };
      const single = await post('/stats/orders', { ...value, filter: yesterday });
      expect(single.json).toMatchObject({ data: { attributes: { value: { countCurrent: 0, countPrevious: 0 } } } });
      const both = { aggregator: 'and', conditions: [yesterday, { field: 'ref', operator: 'present' }] };
      const combined = await post('/stats/orders', { ...value, filter: both });
      expect(combined.json).not.toHaveProperty('data.attributes.value.countPrevious');
    });

    it('#30 refuse queries that are more than a question', async () => {
      const body = { type: 'Value', query: 'SELECT 1; DROP TABLE orders', connectionName: 'main' };
      expectError(await post('/_internal/native_query', body), 422);
    });
  });
}
