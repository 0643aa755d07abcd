import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/customizer/agent';
import type { OpenTables } from '../data-source/opened.ts';
import { call, customizedShop, where } from './shop.ts';

/** Relations that customization declares: joined over in one database, followed in the agent between two. */
export function describeRelations(open: OpenTables): void {
  describe('a declared relation inside of one database', () => {
    const seller = (agent: Agent) =>
      agent
        .customizeCollection('orders', (on) =>
          on.addManyToOneRelation('seller', 'customers', { foreignKey: 'seller_id' }),
        )
        .customizeCollection('customers', (on) =>
          on.addOneToManyRelation('sales', 'orders', { originKey: 'seller_id' }),
        );

    it('is read, filtered, sorted and imported through like one of the database', async () => {
      const { values } = await customizedShop(open, (agent) => {
        seller(agent);
        agent.customizeCollection('orders', (on) => on.importField('sellerName', { path: 'seller:name' }));
      });
      expect(await values('orders', 'sellerName')).toEqual(['Bob', 'Ada', null, 'Cléo']);
      expect(await values('orders', 'id', where('seller:name', 'Equal', 'Ada'))).toEqual([2]);
      expect(await values('orders', 'id', where('seller:name', 'Missing'))).toEqual([3]);
      expect(await values('orders', 'id', undefined, 'seller:name')).toEqual([3, 2, 1, 4]);
      expect(await values('customers', 'id', where('sales:status', 'Equal', 'paid'))).toEqual([2]);
    });

    it('links many to many through a table that the database does not know as such', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on.addManyToManyRelation('sellers', 'customers', 'orders', {
            originKey: 'customer_id',
            foreignKey: 'seller_id',
          }),
        ),
      );
      expect(await values('customers', 'id', where('sellers:name', 'Equal', 'Bob'))).toEqual([1]);
    });
  });

  describe('a relation between two data sources', () => {
    const contact = (agent: Agent) =>
      agent
        .customizeCollection('customers', (on) =>
          on
            .addOneToOneRelation('contact', 'contacts', { originKey: 'customer_id' })
            .addOneToManyRelation('contacts', 'contacts', { originKey: 'customer_id' }),
        )
        .customizeCollection('contacts', (on) =>
          on.addManyToOneRelation('customer', 'customers', { foreignKey: 'customer_id' }),
        );

    it('is read with one query for all partners, also behind a relation of the database', async () => {
      const { values } = await customizedShop(open, contact);
      expect(await values('customers', 'contact:level')).toEqual([2, undefined, 1]);
      expect(await values('orders', 'customer:contact:level')).toEqual([2, 2, undefined, undefined]);
      expect(await values('contacts', 'customer:name')).toEqual(['Ada', 'Cléo', undefined]);
    });

    it('can be filtered, and a record without a partner counts as one with null fields', async () => {
      const { values } = await customizedShop(open, contact);
      expect(await values('customers', 'id', where('contact:level', 'GreaterThan', 1))).toEqual([1]);
      expect(await values('customers', 'id', where('contact:phone', 'Missing'))).toEqual([2, 3]);
      expect(await values('customers', 'id', where('contact:level', 'NotEqual', 2))).toEqual([2, 3]);
      expect(await values('orders', 'id', where('customer:contact:phone', 'Equal', '+33'))).toEqual([1, 2]);
      expect(await values('orders', 'id', where('customer:contact:level', 'Missing'))).toEqual([3, 4]);
      expect(await values('contacts', 'id', where('customer:orders:status', 'Equal', 'paid'))).toEqual([1]);
      expect(await values('customers', 'id', where('contacts:phone', 'Missing'))).toEqual([3]);
      const both = {
        aggregator: 'Or' as const,
        conditions: [where('contact:phone', 'Equal', '+33'), where('contact:level', 'Equal', 1)],
      };
      expect(await values('customers', 'id', both)).toEqual([1, 3]);
    });

    it('can be filtered behind many records, and each condition may be met by another record', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on.addManyToOneRelation('sellerContact', 'contacts', {
            foreignKey: 'seller_id',
            foreignKeyTarget: 'customer_id',
          }),
        ),
      );
      const both = {
        aggregator: 'And' as const,
        conditions: [where('orders:sellerContact:level', 'Equal', 2), where('orders:sellerContact:phone', 'Missing')],
      };
      expect(await values('customers', 'id', both)).toEqual([1]);
    });

    it('can be sorted and grouped, in the agent', async () => {
      let groups: unknown;
      const { service, values } = await customizedShop(open, (agent) => {
        contact(agent);
        agent.customizeCollection('orders', (on) =>
          on.addHook('Before', 'List', async ({ collection }) => {
            groups = await collection.aggregate(
              {},
              { operation: 'Count', groups: [{ field: 'customer:contact:level' }] },
            );
          }),
        );
      });
      expect(await values('customers', 'id', undefined, '-contact:level')).toEqual([1, 3, 2]);
      await service.list({ collection: 'orders', projection: ['id'] }, call);
      expect(groups).toEqual([
        { value: 2, group: { 'customer:contact:level': null } },
        { value: 2, group: { 'customer:contact:level': 2 } },
      ]);
    });

    it('may use a computed key that can be filtered', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('contacts', (on) =>
          on
            .addField('twice', {
              columnType: 'Number',
              dependencies: ['level'],
              getValues: (records) => records.map(({ level }) => Number(level) - 1),
            })
            .emulateFieldOperator('twice', 'In')
            .addManyToOneRelation('ranked', 'customers', { foreignKey: 'twice' }),
        ),
      );
      expect(await values('contacts', 'ranked:name')).toEqual(['Ada', undefined, 'Bob']);
      expect(await values('contacts', 'id', where('ranked:name', 'Equal', 'Bob'))).toEqual([3]);
    });
  });

  describe('an external relation', () => {
    it('is asked for once for each distinct record, or once for all', async () => {
      let calls = 0;
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .addExternalRelation('news', {
              schema: { title: 'String' },
              dependencies: ['customer_id'],
              listRecords: async ({ customer_id }) => {
                calls += 1;
                return customer_id === null ? [] : [{ title: `of ${customer_id}` }];
              },
            })
            .addExternalRelation('batch', {
              schema: { n: 'Number' },
              listRecordsBatch: (records) => records.map(({ id }) => [{ n: id }]),
            }),
        ),
      );
      expect(await values('orders', 'news')).toEqual([
        [{ title: 'of 1' }],
        [{ title: 'of 1' }],
        [{ title: 'of 2' }],
        [],
      ]);
      expect(calls).toBe(3);
      expect(await values('orders', 'batch')).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }], [{ n: 4 }]]);
    });
  });
}
