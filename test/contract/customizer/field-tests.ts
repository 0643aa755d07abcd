import { describe, expect, it } from 'vitest';
import type { OpenTables } from '../data-source/opened.ts';
import { call, customizedShop, where } from './shop.ts';

/** Fields that customization adds, and what becomes of those there are. */
export function describeFields(open: OpenTables): void {
  describe('computed fields', () => {
    it('see their dependencies and nothing else, an absent relation as null', async () => {
      const seen: unknown[] = [];
      const { values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (orders) =>
          orders.addField('label', {
            columnType: 'String',
            dependencies: ['reference', 'customer:name'],
            getValues: (records) => {
              seen.push(...records);
              return records.map((order) => {
                const { reference, customer } = order as { reference: string; customer: { name: string } | null };
                return `${reference} ${customer?.name ?? '-'}`;
              });
            },
          }),
        ),
      );
      expect(await values('orders', 'label')).toEqual(['A-1 Ada', 'A-2 Ada', 'B-1 Bob', 'C-1 -']);
      expect(seen).toContainEqual({ reference: 'C-1', customer: null });
    });

    it('are filtered by what they are asked to emulate, the native conditions first', async () => {
      let asked: unknown[] = [];
      const { values, service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (orders) =>
          orders
            .addField('shout', {
              columnType: 'String',
              dependencies: ['reference'],
              getValues: (records) => {
                asked = [...records];
                return records.map(({ reference }) => `${reference}!`);
              },
            })
            .emulateFieldOperator('shout', 'Equal'),
        ),
      );
      const tree = {
        aggregator: 'And' as const,
        conditions: [where('shout', 'In', ['A-2!', 'B-1!']), where('status', 'Equal', 'open')],
      };
      expect(await values('orders', 'id', tree)).toEqual([2, 3]);
      expect(asked).toHaveLength(2);
      expect(await service.count({ collection: 'orders', where: tree }, call)).toBe(2);
      expect(await values('orders', 'id', where('shout', 'NotEqual', 'A-2!')).catch((error) => error.code)).toBe(
        'REQUEST_INVALID',
      );
    });

    it('may be files and times of day', async () => {
      const { model, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .addField('paper', {
              columnType: 'File',
              dependencies: ['reference'],
              getValues: (records) => records.map(({ reference }) => new TextEncoder().encode(String(reference))),
            })
            .addField('opens', {
              columnType: 'Timeonly',
              dependencies: ['id'],
              getValues: (all) => all.map(() => '09:00:00'),
            }),
        ),
      );
      const text = Buffer.from('A-1').toString('base64');
      expect((await values('orders', 'paper'))[0]).toBe(`data:application/octet-stream;base64,${text}`);
      expect((await values('orders', 'opens'))[0]).toBe('09:00:00');
      const types = ['paper', 'opens'].map((name) => model.collections.get('orders')?.fields.get(name));
      expect(types).toMatchObject([{ column: { type: 'Binary' } }, { column: { type: 'Time' } }]);
    });

    it('are sorted by what they are asked to, pages cut afterwards', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (orders) =>
          orders
            .addField('digits', {
              columnType: 'String',
              dependencies: ['reference'],
              getValues: (records) => records.map(({ reference }) => String(reference).split('').reverse().join('')),
            })
            .emulateFieldSorting('digits'),
        ),
      );
      const query = { collection: 'orders', projection: ['reference'], page: { skip: 1, limit: 2 } };
      const records = await service.list({ ...query, sort: [{ field: 'digits', ascending: false }] }, call);
      expect(records.map(({ reference }) => reference)).toEqual(['C-1', 'B-1']);
    });

    it('group what the database has grouped by what they depend on', async () => {
      let rows = 0;
      let result: unknown;
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (orders) =>
          orders
            .addField('isOpen', {
              columnType: 'Boolean',
              dependencies: ['status'],
              getValues: (records) => {
                rows = records.length;
                return records.map(({ status }) => status === 'open');
              },
            })
            .addHook('Before', 'List', async ({ collection }) => {
              result = await collection.aggregate(
                {},
                { operation: 'Sum', field: 'total', groups: [{ field: 'isOpen' }] },
              );
            }),
        ),
      );
      await service.list({ collection: 'orders', projection: ['id'] }, call);
      expect(result).toEqual([
        { value: '20.00', group: { isOpen: true } },
        { value: '10.60', group: { isOpen: false } },
      ]);
      expect(rows).toBe(3);
    });
  });

  describe('imported fields', () => {
    const withCity = (agent: Parameters<Parameters<typeof customizedShop>[1]>[0]) =>
      agent.customizeCollection('orders', (orders) => orders.importField('customerCity', { path: 'customer:city' }));

    it('are listed, filtered and sorted as their source', async () => {
      const { values } = await customizedShop(open, withCity);
      expect(await values('orders', 'customerCity')).toEqual(['Paris', 'Paris', null, null]);
      expect(await values('orders', 'id', where('customerCity', 'Equal', 'Paris'))).toEqual([1, 2]);
      expect(await values('orders', 'id', where('customerCity', 'Missing'))).toEqual([3, 4]);
      expect(await values('orders', 'customerCity', where('id', 'In', [1, 3]), '-customerCity')).toEqual([
        'Paris',
        null,
      ]);
    });

    it('are reached from other collections, and imported again', async () => {
      const { values } = await customizedShop(open, (agent) => {
        agent.customizeCollection('customers', (on) =>
          on.addOneToOneRelation('first', 'orders', { originKey: 'seller_id' }),
        );
        agent.customizeCollection('customers', (on) => on.importField('soldTo', { path: 'first:customerCity' }));
        withCity(agent);
      });
      expect(await values('customers', 'soldTo')).toEqual(['Paris', 'Paris', null]);
      expect(await values('customers', 'id', where('soldTo', 'Equal', 'Paris'))).toEqual([1, 2]);
    });

    it('write the related record, and make one if there is none', async () => {
      const { service, values } = await customizedShop(open, withCity);
      await service.update('orders', [1], { customerCity: 'Nice' }, call);
      expect(await values('customers', 'city')).toEqual(['Nice', null, 'Lyon']);
      const linked = await service.update('orders', [4], { customerCity: 'Metz', status: 'new' }, call);
      expect(linked).toMatchObject({ customerCity: 'Metz', status: 'new', customer_id: 4 });
      const created = await service.create('orders', { reference: 'D-1', customerCity: 'Caen' }, call);
      expect(created).toMatchObject({ reference: 'D-1', customerCity: 'Caen', customer_id: 5 });
      expect(await values('customers', 'city')).toEqual(['Nice', null, 'Lyon', 'Metz', 'Caen']);
    });

    it('make the related record that a key names where it is not there', async () => {
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .addManyToOneRelation('contact', 'contacts', { foreignKey: 'seller_id' })
            .importField('phone', { path: 'contact:phone' }),
        ),
      );
      await service.update('orders', [1], { seller_id: 7 }, call);
      expect(await service.update('orders', [1], { phone: '+32' }, call)).toMatchObject({ seller_id: 7, phone: '+32' });
      const created = await service.create('orders', { reference: 'D-1', seller_id: 8, phone: '+31' }, call);
      expect(created).toMatchObject({ seller_id: 8, phone: '+31' });
      expect(await values('contacts', 'id')).toEqual([1, 2, 3, 7, 8]);
    });

    it('are read-only when they say so', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) => on.importField('city', { path: 'customer:city', readonly: true })),
      );
      await expect(service.update('orders', [1], { city: 'Nice' }, call)).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
        details: { field: 'city' },
      });
    });
  });

  describe('published names', () => {
    const renamed = (agent: Parameters<Parameters<typeof customizedShop>[1]>[0]) =>
      agent
        .customizeCollection('orders', (orders) =>
          orders.renameField('status', 'state').renameField('customer', 'buyer'),
        )
        .customizeCollection('customers', (on) => on.renameField('city', 'town').removeField('email'));

    it('are used for reading, filtering, sorting and writing', async () => {
      const { values, service } = await customizedShop(open, renamed);
      expect(await values('orders', 'buyer:town')).toEqual(['Paris', 'Paris', null, undefined]);
      expect(await values('orders', 'id', where('buyer:town', 'Equal', 'Paris'), '-state')).toEqual([1, 2]);
      const written = await service.update('orders', [3], { state: 'paid' }, call);
      expect(written).toMatchObject({ state: 'paid', buyer: { town: null, name: 'Bob' } });
      expect(written).not.toHaveProperty('status');
      expect(written?.['buyer']).not.toHaveProperty('email');
    });

    it('leave customization code with the original ones', async () => {
      const seen: unknown[] = [];
      const { values, service } = await customizedShop(open, (agent) => {
        renamed(agent);
        agent.customizeCollection('orders', (orders) =>
          orders
            .addField('shown', {
              columnType: 'String',
              dependencies: ['status', 'customer:city'],
              getValues: (records) => records.map(({ status }) => `<${status}>`),
            })
            .addSegment('open', { field: 'status', operator: 'Equal', value: 'open' })
            .addHook('Before', 'Update', ({ patch }) => void seen.push({ ...patch })),
        );
      });
      expect(await values('orders', 'shown')).toEqual(['<paid>', '<open>', '<open>', '<null>']);
      const open2 = await service.list({ collection: 'orders', projection: ['state'], segment: 'open' }, call);
      expect(open2.map(({ state }) => state)).toEqual(['open', 'open']);
      await service.update('orders', [1], { state: 'lost' }, call);
      expect(seen).toEqual([{ status: 'lost' }]);
    });

    it('hide what is removed from requests, and keep it for customization code', async () => {
      const { values, service } = await customizedShop(open, (agent) => {
        renamed(agent);
        agent.customizeCollection('customers', (on) =>
          on.addField('domain', {
            columnType: 'String',
            dependencies: ['email'],
            getValues: (records) => records.map(({ email }) => String(email).split('@')[1] ?? null),
          }),
        );
      });
      expect(await values('customers', 'domain')).toEqual(['x.test', 'x.test', null]);
      for (const attempt of [
        values('customers', 'email'),
        values('customers', 'id', where('email', 'Present')),
        values('customers', 'id', undefined, 'email'),
        service.update('customers', [1], { email: 'x' }, call),
      ]) {
        await expect(attempt).rejects.toMatchObject({ code: expect.stringMatching(/REQUEST_/) });
      }
    });

    it('leave out a removed collection and the relations to it', async () => {
      const { model, service } = await customizedShop(open, (agent) => agent.removeCollection('customers'));
      expect([...model.collections.keys()]).toEqual(['orders', 'contacts']);
      expect([...(model.collections.get('orders')?.fields.keys() ?? [])]).not.toContain('customer');
      await expect(service.list({ collection: 'customers' }, call)).rejects.toMatchObject({
        code: 'REQUEST_NOT_FOUND',
      });
    });
  });
}
