import { describe, expect, it } from 'vitest';
import type { OpenTables } from '../data-source/opened.ts';
import { call, customizedShop, where } from './shop.ts';

const shown = {
  columnType: 'String' as const,
  dependencies: ['status'],
  getValues: (records: readonly Readonly<Record<string, unknown>>[]) => records.map(({ status }) => `<${status}>`),
};

/** Customizations that meet. */
export function describeInteractions(open: OpenTables): void {
  describe('customizations that meet', () => {
    it('a relation on a renamed key is published with the new name, whichever was declared first', async () => {
      const { model } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .addManyToOneRelation('seller', 'customers', { foreignKey: 'seller_id' })
            .renameField('seller_id', 'soldBy')
            .addManyToOneRelation('seller2', 'customers', { foreignKey: 'seller_id' }),
        ),
      );
      for (const name of ['seller', 'seller2']) {
        expect(model.collections.get('orders')?.fields.get(name)).toMatchObject({
          join: [{ local: 'soldBy', foreign: 'id' }],
        });
      }
    });

    it('removing a key removes the relations on it, and not the customizations that use it', async () => {
      const { model, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on.removeField('customer_id').addField('buyer', {
            columnType: 'String',
            dependencies: ['customer:name', 'customer_id'],
            getValues: (records) => records.map(({ customer }) => (customer as { name: string } | null)?.name ?? null),
          }),
        ),
      );
      expect(model.collections.get('orders')?.fields.has('customer')).toBe(false);
      expect(await values('orders', 'buyer')).toEqual(['Ada', 'Ada', 'Bob', null]);
    });

    it('validations see the value that is sent, hooks the patch before handlers rewrite it', async () => {
      const seen: unknown[] = [];
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .addFieldValidation('name', 'LongerThan', 3)
            .replaceFieldWriting('name', (value) => ({ name: String(value).slice(0, 2) }))
            .addHook('Before', 'Update', ({ patch }) => void seen.push({ ...patch })),
        ),
      );
      await service.update('customers', [1], { name: 'Adelaide' }, call);
      expect(seen).toEqual([{ name: 'Adelaide' }]);
      expect(await values('customers', 'name', where('id', 'Equal', 1))).toEqual(['Ad']);
      await expect(service.update('customers', [1], { name: 'Al' }, call)).rejects.toMatchObject({
        details: { field: 'name' },
      });
    });

    it('an override gets the rewritten patch in original names, and only columns: partners are written by their own collection', async () => {
      const patches: unknown[] = [];
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .renameField('status', 'state')
            .importField('buyer', { path: 'customer:name' })
            .replaceFieldWriting('status', (value) => ({ status: `${value}!` }))
            .overrideUpdate(({ patch }) => void patches.push(patch)),
        ),
      );
      await service.update('orders', [1], { state: 'x', buyer: 'Zoe' }, call);
      expect(patches).toEqual([{ status: 'x!' }]);
      expect(await values('customers', 'name', where('id', 'Equal', 1))).toEqual(['Zoe']);
    });

    it('emulated operators serve segments and searches; the last of two rules for one operator holds', async () => {
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .addField('shown', shown)
            .replaceFieldOperator('shown', 'Equal', () => ({ field: 'id', operator: 'Equal', value: 4 }))
            .emulateFieldOperator('shown', 'Equal')
            .addSegment('open', { field: 'shown', operator: 'Equal', value: '<open>' })
            .replaceSearch((search) => ({ field: 'shown', operator: 'Equal', value: search })),
        ),
      );
      expect(await values('orders', 'id', where('shown', 'Equal', '<open>'))).toEqual([2, 3]);
      expect(await service.count({ collection: 'orders', segment: 'open' }, call)).toBe(2);
      expect(await service.count({ collection: 'orders', search: '<paid>' }, call)).toBe(1);
    });

    it('a replaced operator is honoured on a path from another collection', async () => {
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on.replaceFieldOperator('city', 'Equal', (value) => ({ field: 'name', operator: 'Equal', value })),
        ),
      );
      expect(await values('orders', 'id', where('customer:city', 'Equal', 'Bob'))).toEqual([3]);
    });

    it('disabling and replacing the search: the last of them holds', async () => {
      const all = () => ({ field: 'id', operator: 'Present' }) as const;
      const searchable = async (customize: Parameters<typeof customizedShop>[1]) =>
        (await customizedShop(open, customize)).model.collections.get('orders')?.isSearchable;
      expect(
        await searchable((agent) => agent.customizeCollection('orders', (on) => on.disableSearch().replaceSearch(all))),
      ).toBe(true);
      expect(
        await searchable((agent) => agent.customizeCollection('orders', (on) => on.replaceSearch(all).disableSearch())),
      ).toBe(false);
    });

    it('plugins declare like anybody else, and are called once with what they are used on', async () => {
      const calls: unknown[] = [];
      const { model } = await customizedShop(open, async (agent) => {
        agent.use(
          async (on, collection, options: { name: string } | undefined) => {
            calls.push(collection, options);
            await Promise.resolve();
            on.customizeCollection('orders', (orders) => orders.renameField('status', options?.name ?? ''));
          },
          { name: 'state' },
        );
        agent.customizeCollection('customers', (on) =>
          on.use((_agent, collection) => collection?.removeField('email')),
        );
      });
      expect(calls).toEqual([undefined, { name: 'state' }]);
      expect(model.collections.get('orders')?.fields.has('state')).toBe(true);
      expect(model.collections.get('customers')?.fields.has('email')).toBe(false);
    });

    it('an override says how many records it deleted', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('contacts', (on) => on.overrideDelete(() => 7)),
      );
      expect(await service.delete('contacts', where('id', 'Equal', 1), call)).toBe(7);
    });
  });
}
