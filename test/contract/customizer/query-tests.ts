import { describe, expect, it } from 'vitest';
import { caseWhen, when } from '#runtime/query/build-expression';
import { nestCondition } from '#runtime/query/record-path';
import type { OpenTables } from '../data-source/opened.ts';
import { call, customizedShop, where } from './shop.ts';

/** What customization says of filters, sorts, searches and segments. */
export function describeQueries(open: OpenTables): void {
  describe('operators', () => {
    it('are replaced by conditions, also behind a relation, and give others that say the same', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .addField('initial', {
              columnType: 'String',
              dependencies: ['name'],
              getValues: (records) => records.map(({ name }) => String(name).slice(0, 1)),
            })
            .replaceFieldOperator('initial', 'Equal', (value) => ({ field: 'name', operator: 'StartsWith', value })),
        ),
      );
      expect(await values('customers', 'id', where('initial', 'Equal', 'B'))).toEqual([2]);
      expect(await values('customers', 'id', where('initial', 'In', ['A', 'C']))).toEqual([1, 3]);
      expect(await values('orders', 'id', where('customer:initial', 'Equal', 'A'))).toEqual([1, 2]);
      expect(await values('customers', 'id', where('orders:customer:initial', 'Equal', 'A'))).toEqual([1]);
    });

    it('mean what the customization says on a column of the database', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on.replaceFieldOperator('status', 'Equal', (value) => ({ field: 'status', operator: 'IContains', value })),
        ),
      );
      expect(await values('orders', 'id', where('status', 'Equal', 'PE'))).toEqual([2, 3]);
    });

    it('mean what the customization says on a column of the database, behind a relation to many too', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on.replaceFieldOperator('reference', 'Equal', (value) => where('reference', 'StartsWith', `${value}-`)),
        ),
      );
      expect(await values('customers', 'name', where('orders:reference', 'Equal', 'A'))).toEqual(['Ada']);
    });

    it('are refused with the chain where they replace one another in a circle', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .replaceFieldOperator('status', 'Equal', (value) => ({ field: 'reference', operator: 'Equal', value }))
            .replaceFieldOperator('reference', 'Equal', (value) => ({ field: 'status', operator: 'Equal', value })),
        ),
      );
      await expect(values('orders', 'id', where('status', 'Equal', 'x'))).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.stringContaining('orders.status Equal → orders.reference Equal → orders.status Equal'),
      });
    });

    it('take a pattern as an expression or as its text', async () => {
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .emulateFieldOperator('reference', 'Match')
            .addSegment('of A', () => ({ field: 'reference', operator: 'Match', value: /^a/gi })),
        ),
      );
      const projection = ['id'];
      const ofA = await service.list({ collection: 'orders', projection, segment: 'of A' }, call);
      expect(ofA).toEqual([{ id: 1 }, { id: 2 }]);
      expect(await values('orders', 'id', where('reference', 'Match', '-1$'))).toEqual([1, 3, 4]);
      await expect(values('orders', 'id', where('reference', 'Match', '('))).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
        message: expect.stringContaining('"Match" needs a regular expression'),
      });
    });

    it('are refused where they lead back to themselves through a relation to many', async () => {
      let asked = 0;
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on.replaceFieldOperator('status', 'Equal', (value) => {
            asked += 1;
            if (asked > 1000) throw new Error('It would go on for ever.');
            return where('customer:orders:status', 'Equal', value);
          }),
        ),
      );
      await expect(values('orders', 'id', where('status', 'Equal', 'x'))).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.stringContaining('lead back to themselves'),
      });
    });

    it('are all emulated where the whole field is', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .addField('cents', {
              columnType: 'Number',
              dependencies: ['total'],
              getValues: (records) => records.map(({ total }) => (total === null ? null : Number(total) * 100)),
            })
            .emulateFieldFiltering('cents'),
        ),
      );
      expect(await values('orders', 'id', where('cents', 'GreaterThan', 1000))).toEqual([1, 2]);
      expect(await values('orders', 'id', where('cents', 'Missing'))).toEqual([3]);
      expect(await values('orders', 'id', where('cents', 'NotIn', [10]))).toEqual([1, 2, 3]);
      expect(await values('customers', 'id', where('orders:cents', 'Equal', 2000))).toEqual([1]);
    });

    it('can be emulated beside a condition through a relation to many, joined by Or', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .addField('initial', {
              columnType: 'String',
              dependencies: ['name'],
              getValues: (records) => records.map(({ name }) => String(name).slice(0, 1)),
            })
            .emulateFieldFiltering('initial'),
        ),
      );
      const either = {
        aggregator: 'Or' as const,
        conditions: [where('initial', 'Equal', 'C'), where('orders:status', 'Equal', 'paid')],
      };
      expect(await values('customers', 'id', either)).toEqual([1, 3]);
      expect(await values('orders', 'id', nestCondition(either, 'customer'))).toEqual([1, 2]);
    });
  });

  describe('sorting', () => {
    it('is replaced, the other way round when descending, also behind a relation', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on.replaceFieldSorting('reference', [
            { field: 'customer:name', ascending: false },
            { field: 'id', ascending: true },
          ]),
        ),
      );
      expect(await values('orders', 'id', undefined, 'reference')).toEqual([3, 1, 2, 4]);
      expect(await values('orders', 'id', undefined, '-reference')).toEqual([4, 2, 1, 3]);
    });

    it('is refused where it is disabled', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) => on.disableFieldSorting('total')),
      );
      await expect(values('orders', 'id', undefined, 'total')).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    });
  });

  describe('search', () => {
    it('means what the customization says; nothing means no restriction', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on.replaceSearch((search) =>
            search === 'all' ? null : { field: 'customer:name', operator: 'Equal', value: search },
          ),
        ),
      );
      expect(await service.count({ collection: 'orders', search: 'Ada' }, call)).toBe(2);
      expect(await service.count({ collection: 'orders', search: 'all' }, call)).toBe(4);
    });

    it('may fall back on the default one', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on.replaceSearch((search, _extended, context) => context.generateSearchFilter(search, { extended: true })),
        ),
      );
      expect(await service.count({ collection: 'orders', search: 'bob' }, call)).toBe(1);
    });

    it('is refused where it is disabled', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) => on.disableSearch()),
      );
      await expect(service.count({ collection: 'orders', search: 'A' }, call)).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
      });
    });
  });

  describe('segments', () => {
    it('may ask other collections', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on.addSegment('ofVips', async ({ dataSource }) => {
            const vips = await dataSource
              .getCollection('customers')
              .list({ conditionTree: where('vip', 'Equal', true) }, ['id']);
            return { field: 'customer_id', operator: 'In', value: vips.map(({ id }) => id) };
          }),
        ),
      );
      expect(await service.count({ collection: 'orders', segment: 'ofVips' }, call)).toBe(2);
    });

    it('take conditions in either spelling of operators, as do filters, searches, replaced operators and expressions', async () => {
      const early = JSON.parse('{"field":"id","operator":"less_than_or_equal","value":2}');
      const both = JSON.parse('{"aggregator":"or","conditions":[{"field":"id","operator":"equal","value":1}]}');
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .addSegment('plain', early)
            .addSegment('asked', async ({ collection }) => {
              const rows = await collection.list({ conditionTree: both }, ['id']);
              return { field: 'id', operator: 'in', value: rows.map(({ id }) => id) } as never;
            })
            .replaceSearch(() => early)
            .replaceFieldOperator('id', 'In', (value) => ({ field: 'id', operator: 'equal', value: value[0] }) as never)
            .addField('size', {
              columnType: 'String',
              expression: caseWhen([when(both, 'first')]),
            }),
        ),
      );
      expect(await service.count({ collection: 'orders', segment: 'plain' }, call)).toBe(2);
      expect(await service.count({ collection: 'orders', segment: 'asked' }, call)).toBe(1);
      expect(await service.count({ collection: 'orders', search: 'x' }, call)).toBe(2);
      const first = where('size', 'Equal', 'first');
      expect(await service.count({ collection: 'orders', where: first }, call)).toBe(1);
    });

    it('name the nearest operator', async () => {
      const wrong = JSON.parse('{"field":"id","operator":"equals","value":2}');
      await expect(
        customizedShop(open, (agent) => agent.customizeCollection('orders', (on) => on.addSegment('plain', wrong))),
      ).rejects.toThrow('there is no operator "equals", the nearest one is "Equal"');
    });

    it('are refused where they do not exist or give nothing', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) => on.addSegment('broken', (() => null) as never)),
      );
      await expect(service.count({ collection: 'orders', segment: 'no' }, call)).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
      });
      await expect(service.count({ collection: 'orders', segment: 'broken' }, call)).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
      });
    });
  });
}
