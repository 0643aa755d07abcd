import { describe, expect, it } from 'vitest';
import type { ContextCollection, CustomizationContext } from '#runtime/customizer/customization-context';
import type { OpenTables } from '../data-source/opened.ts';
import type { NeutralTable } from '../data-source/tables.ts';
import { call, customizedShop, where } from './shop.ts';

/** What customization says of writing. */
export function describeWrites(open: OpenTables): void {
  describe('collections in customization code', () => {
    const ordersOf = async () => {
      const { service } = await customizedShop(open, () => undefined);
      return service.contextOf('orders', call).collection;
    };

    it('refuse a misspelt filter, which would mean every record', async () => {
      const orders = await ordersOf();
      const misspelt = { conditiontree: where('id', 'Equal', 1) };
      await expect(orders.delete(misspelt as never)).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: 'A filter on "orders" has no option "conditiontree". Did you mean "conditionTree"?',
      });
      expect(await orders.list({}, ['id'])).toHaveLength(4);
    });

    it('refuse to write a page, because a write would reach all records', async () => {
      const orders = await ordersOf();
      const first = { search: '', page: { skip: 0, limit: 1 } };
      const refused = { code: 'CUSTOMIZATION_FAILED', message: expect.stringContaining('a page of "orders"') };
      await expect(orders.update(first, { status: 'x' })).rejects.toMatchObject(refused);
      await expect(orders.delete(first)).rejects.toMatchObject(refused);
    });

    it('refuse an aggregate that makes no sense', async () => {
      const orders = await ordersOf();
      const refused = { code: 'CUSTOMIZATION_FAILED', message: expect.stringContaining('"orders"') };
      await expect(orders.aggregate({}, { operation: 'Sum' })).rejects.toMatchObject(refused);
      await expect(orders.aggregate({}, { operation: 'Avg', field: 'status' })).rejects.toMatchObject(refused);
      const byMonth = { operation: 'Count', groups: [{ field: 'status', operation: 'Month' }] } as const;
      await expect(orders.aggregate({}, byMonth)).rejects.toMatchObject(refused);
    });

    it('group by a field in one way at a time', async () => {
      const orders = await ordersOf();
      const groups = [
        { field: 'placed_at', operation: 'Month' },
        { field: 'placed_at', operation: 'Year' },
      ] as const;
      await expect(orders.aggregate({}, { operation: 'Count', groups })).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.stringContaining('"placed_at" in two ways'),
      });
    });
  });

  describe('replaced writing', () => {
    it('writes other fields, related records among them, in one transaction', async () => {
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .addField('summary', {
              columnType: 'String',
              dependencies: ['reference', 'customer:name'],
              getValues: (records) => records.map(({ reference }) => String(reference)),
            })
            .replaceFieldWriting('summary', (value) => {
              const [reference, name] = String(value).split('/');
              return { reference, customer: { name } };
            }),
        ),
      );
      const created = await service.create('orders', { summary: 'E-1/Eve' }, call);
      expect(created).toMatchObject({ reference: 'E-1', customer: { name: 'Eve' } });
      await service.update('orders', [1], { summary: 'A-9/Adele' }, call);
      expect(await values('orders', 'reference', where('id', 'Equal', 1))).toEqual(['A-9']);
      expect(await values('customers', 'name')).toEqual(['Adele', 'Bob', 'Cléo', 'Eve']);
    });

    it('rolls everything back when a part fails', async () => {
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on.replaceFieldWriting('status', async (value, { dataSource }) => {
            await dataSource.getCollection('customers').create([{ name: 'left behind' }]);
            if (value === 'bad') throw new Error('no');
            return { status: value };
          }),
        ),
      );
      await expect(service.update('orders', [1], { status: 'bad' }, call)).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
      });
      expect(await values('customers', 'name')).toEqual(['Ada', 'Bob', 'Cléo']);
      await service.update('orders', [1], { status: 'good' }, call);
      expect(await values('customers', 'name')).toEqual(['Ada', 'Bob', 'Cléo', 'left behind']);
    });

    it('is refused, and never waits, where it goes round the transaction of its request', async () => {
      let kept: ContextCollection | undefined;
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .addHook('Before', 'List', ({ collection }) => {
              kept = collection;
            })
            .replaceFieldWriting('name', async (value, { collection }) => {
              await collection.update({ conditionTree: where('id', 'Equal', 2) }, { city: 'inside' });
              await kept?.update({}, { city: 'around' });
              return { name: value };
            }),
        ),
      );
      await service.list({ collection: 'customers', projection: ['id'] }, call);
      await expect(service.update('customers', [1], { name: 'x' }, call)).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.stringContaining('around the transaction'),
      });
      expect(await values('customers', 'city')).toEqual(['Paris', null, 'Lyon']);
    });

    it('is refused, and holds up nobody, when its request is over', async () => {
      const over = Promise.withResolvers<void>();
      let late: Promise<unknown> = Promise.resolve();
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .overrideUpdate(() => undefined)
            .addHook('Before', 'Update', ({ dataSource }) => {
              const write = () => dataSource.getCollection('customers').create([{ name: 'late' }]);
              late = over.promise.then(write).catch((error: unknown) => error);
            }),
        ),
      );
      await service.update('orders', [1], { status: 'open' }, call);
      over.resolve();
      expect(await late).toMatchObject({ code: 'CUSTOMIZATION_FAILED' });
      await service.create('customers', { name: 'next' }, call);
      expect(await values('customers', 'name')).toEqual(['Ada', 'Bob', 'Cléo', 'next']);
    });

    it('may swallow a value, and the record is answered as it is', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) => on.replaceFieldWriting('status', () => undefined)),
      );
      expect(await service.update('orders', [1], { status: 'lost' }, call)).toMatchObject({ id: 1, status: 'paid' });
    });

    it('takes a record where the field is a relation', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) => on.replaceFieldWriting('status', () => ({ customer: null }))),
      );
      await expect(service.update('orders', [1], { status: 'x' }, call)).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.stringContaining('"customer" of "orders"'),
      });
    });

    it('accepts equal values from two fields and refuses different ones', async () => {
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .replaceFieldWriting('name', (value) => ({ name: value, email: `${value}@x` }))
            .replaceFieldWriting('city', (value) => ({ city: value, email: `${value}@x` })),
        ),
      );
      await service.update('customers', [1], { name: 'Z', city: 'Z' }, call);
      expect(await values('customers', 'email', where('id', 'Equal', 1))).toEqual(['Z@x']);
      await expect(service.update('customers', [1], { name: 'Z', city: 'Y' }, call)).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.stringContaining('customers.email'),
      });
    });

    it('is refused with the chain when it goes in a circle', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .replaceFieldWriting('name', (value) => ({ city: value }))
            .replaceFieldWriting('city', (value) => ({ name: value })),
        ),
      );
      await expect(service.update('customers', [1], { name: 'Z' }, call)).rejects.toMatchObject({
        message: expect.stringContaining('customers.name → customers.city → customers.name'),
      });
    });
  });

  describe('a transaction of a handler', () => {
    const rename = (name: string) => (on: ContextCollection) => on.update({}, { name });

    it('keeps all of it, or nothing, and gives what the work gives', async () => {
      const { service, values } = await customizedShop(open, () => undefined);
      const context = service.contextOf('customers', call);
      const failing = context.inTransaction(async ({ collection, dataSource }) => {
        await rename('lost')(collection);
        await dataSource.getCollection('orders').delete({});
        // What was written is seen inside.
        expect(await collection.list({}, ['name'])).toEqual([{ name: 'lost' }, { name: 'lost' }, { name: 'lost' }]);
        throw new Error('half-way');
      });
      await expect(failing).rejects.toThrow('half-way');
      expect(await values('customers', 'name')).toEqual(['Ada', 'Bob', 'Cléo']);
      expect(await values('orders', 'id')).toEqual([1, 2, 3, 4]);
      expect(await context.inTransaction(({ collection }) => rename('kept')(collection))).toBe(3);
      expect(await values('customers', 'name')).toEqual(['kept', 'kept', 'kept']);
    });

    it('refuses what goes round it, and never waits', async () => {
      const { service, values } = await customizedShop(open, () => undefined);
      const context = service.contextOf('customers', call);
      const around = context.inTransaction(async ({ collection }) => {
        await rename('inside')(collection);
        await rename('around')(context.collection);
      });
      await expect(around).rejects.toMatchObject({ code: 'CUSTOMIZATION_FAILED' });
      expect(await values('customers', 'name')).toEqual(['Ada', 'Bob', 'Cléo']);
    });

    it('is that of the write, in the handlers of one', async () => {
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .addHook('Before', 'Update', (context) =>
              context.inTransaction(({ collection }) => rename('hook')(collection)),
            )
            .replaceFieldWriting('city', () => {
              throw new Error('no');
            }),
        ),
      );
      await expect(service.update('customers', [1], { city: 'x' }, call)).rejects.toThrow();
      expect(await values('customers', 'name')).toEqual(['Ada', 'Bob', 'Cléo']);
    });
  });

  describe('a handler', () => {
    it.each<[string, (context: CustomizationContext) => unknown, string]>([
      ['a field', ({ collection }) => collection.list({}, ['nam']), 'Did you mean "name"?'],
      ['a segment', ({ collection }) => collection.list({ segment: 'vip' }, ['id']), 'Did you mean "vips"?'],
      ['a collection', ({ dataSource }) => dataSource.getCollection('order'), 'Did you mean "orders"?'],
    ])(
      'fails with the place in the code where it asks its context for an unknown thing: %s',
      async (_what, ask, hint) => {
        const { service } = await customizedShop(open, (agent) =>
          agent.customizeCollection('customers', (on) =>
            on
              .addSegment('vips', { field: 'vip', operator: 'Equal', value: true })
              .addHook('Before', 'List', async (context) => void (await ask(context))),
          ),
        );
        await expect(service.list({ collection: 'customers' }, call)).rejects.toMatchObject({
          code: 'CUSTOMIZATION_FAILED',
          message: expect.stringContaining(hint),
          location: { line: expect.any(Number) },
        });
      },
    );
  });

  describe('hooks', () => {
    it('run in the order of their declarations, around what a request asks for and nothing else', async () => {
      const events: string[] = [];
      const { service } = await customizedShop(open, (agent) => {
        for (const position of ['Before', 'After'] as const) {
          for (const type of ['List', 'Create', 'Update', 'Delete', 'Aggregate'] as const) {
            for (const n of [1, 2]) {
              agent.customizeCollection('orders', (on) =>
                on.addHook(position, type, async ({ collection }) => {
                  await collection.list({}, ['id']);
                  events.push(`${position} ${type} ${n}`);
                }),
              );
            }
          }
        }
      });
      const eventsOf = async (work: Promise<unknown>) => {
        events.length = 0;
        await work;
        return [...events];
      };
      const four = (type: string) => [`Before ${type} 1`, `Before ${type} 2`, `After ${type} 1`, `After ${type} 2`];
      expect(await eventsOf(service.list({ collection: 'orders' }, call))).toEqual(four('List'));
      expect(await eventsOf(service.get('orders', [1], undefined, call))).toEqual(four('List'));
      expect(await eventsOf(service.get('orders', [1], ['id'], call))).toEqual(four('List'));
      // The record that a write answers with is read too.
      expect(await eventsOf(service.create('orders', { reference: 'X' }, call))).toEqual([
        ...four('Create'),
        ...four('List'),
      ]);
      expect(await eventsOf(service.update('orders', [1], { status: 'x' }, call))).toEqual([
        ...four('Update'),
        ...four('List'),
      ]);
      expect(await eventsOf(service.update('orders', [1], {}, call))).toEqual(four('List'));
      expect(await eventsOf(service.delete('orders', where('id', 'Equal', 4), call))).toEqual(four('Delete'));
      expect(await eventsOf(service.count({ collection: 'orders' }, call))).toEqual(four('Aggregate'));
    });

    it('change what is written and what is answered', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .addHook('Before', 'Create', ({ data }) => {
              for (const record of data) record['city'] = 'Brest';
            })
            .addHook('Before', 'Update', ({ patch }) => {
              patch['city'] = 'Dijon';
            })
            .addHook('After', 'List', ({ records }) => {
              for (const record of records) record['name'] = `${record['name']}!`;
            }),
        ),
      );
      expect(await service.create('customers', { name: 'New' }, call)).toMatchObject({ name: 'New!', city: 'Brest' });
      expect(await service.get('customers', [2], undefined, call)).toMatchObject({ name: 'Bob!' });
      expect(await service.update('customers', [1], {}, call)).toMatchObject({ name: 'Ada!' });
      expect(await service.update('customers', [1], { name: 'Old' }, call)).toMatchObject({
        name: 'Old!',
        city: 'Dijon',
      });
      const listed = await service.list(
        { collection: 'customers', projection: ['name'], where: where('id', 'Equal', 2) },
        call,
      );
      expect(listed).toEqual([{ name: 'Bob!', id: 2 }]);
    });

    it('stop an operation with a message and a status of their own, and nothing is written', async () => {
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .addHook('Before', 'Create', (context) => context.throwForbiddenError('Not on Sundays.'))
            .addHook('Before', 'Update', (context) => context.throwValidationError('Too short.'))
            .addHook('Before', 'Delete', (context) => context.throwError('Still in use.')),
        ),
      );
      await expect(service.create('customers', { name: 'x' }, call)).rejects.toMatchObject({
        code: 'REQUEST_FORBIDDEN',
        message: 'Not on Sundays.',
      });
      await expect(service.update('customers', [1], { name: 'x' }, call)).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
      });
      await expect(service.delete('customers', undefined, call)).rejects.toMatchObject({
        code: 'REQUEST_UNPROCESSABLE',
      });
      expect(await values('customers', 'name')).toEqual(['Ada', 'Bob', 'Cléo']);
    });

    it('are reported and undo nothing when they throw after a write', async () => {
      const { service, values, reports } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on.addHook('After', 'Update', () => {
            throw new Error('mail server down');
          }),
        ),
      );
      await service.update('customers', [1], { name: 'Kept' }, call);
      expect(await values('customers', 'name')).toEqual(['Kept', 'Bob', 'Cléo']);
      expect(reports).toEqual(['A hook After Update of "customers" failed; what it came after is done.']);
    });
  });

  describe('overrides', () => {
    it('write instead of the database, with the database at hand', async () => {
      const seen: unknown[] = [];
      const { service, values } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .overrideCreate(({ data, collection }) =>
              collection.create(data.map((record) => ({ ...record, vip: true }))),
            )
            .overrideUpdate(async ({ filter, patch, collection }) => {
              seen.push(patch);
              await collection.update(filter, { ...patch, city: 'overridden' });
            })
            .overrideDelete(({ filter }) => void seen.push(filter.conditionTree)),
        ),
      );
      expect(await service.create('customers', { name: 'New', vip: false }, call)).toMatchObject({
        name: 'New',
        vip: true,
      });
      expect(await service.update('customers', [1], { name: 'Neu' }, call)).toMatchObject({
        name: 'Neu',
        city: 'overridden',
      });
      await service.delete('customers', where('id', 'Equal', 2), call);
      expect(await values('customers', 'id')).toEqual([1, 2, 3, 4]);
      expect(seen).toEqual([{ name: 'Neu' }, where('id', 'Equal', 2)]);
    });

    it('give one created record for each record that was sent', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) => on.overrideCreate(() => [])),
      );
      await expect(service.create('customers', { name: 'New' }, call)).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.stringContaining('0 created records for 1'),
      });
    });

    it('give created records, and clients see only the published columns', async () => {
      const given = { id: 77, name: 'New', email: 'a@b', city: 'Brest', token: 'secret' };
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .renameField('name', 'title')
            .removeField('email')
            .overrideCreate(() => [given]),
        ),
      );
      expect(await service.create('customers', { title: 'New' }, call)).toEqual({
        id: 77,
        title: 'New',
        city: 'Brest',
      });
    });

    it('give created records with values of the types of their columns', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) => on.overrideCreate(() => [{ id: 77, vip: 'yes' }])),
      );
      await expect(service.create('customers', { name: 'New' }, call)).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.stringContaining('whose "vip" must be true or false'),
      });
    });

    it('are not asked for what cannot be there', async () => {
      let calls = 0;
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) => on.overrideDelete(() => (calls += 1))),
      );
      expect(await service.delete('customers', where('id', 'In', []), call)).toBe(0);
      expect(calls).toBe(0);
    });
  });

  describe('rules of the database', () => {
    const badges: NeutralTable = {
      name: 'badges',
      columns: [
        { name: 'id', type: 'integer', isAuto: true },
        { name: 'code', type: 'text' },
        { name: 'series', type: 'text' },
        { name: 'secret', type: 'text' },
        { name: 'owner_id', type: 'integer' },
      ],
      primaryKey: ['id'],
      uniqueKeys: [['code', 'series'], ['secret']],
      foreignKeys: [{ columns: ['owner_id'], table: 'customers', foreignColumns: ['id'] }],
      rows: [{ id: 1, code: 'A', series: 'x', secret: 's', owner_id: 1 }],
    };
    const shopWithBadges = (customize: Parameters<typeof customizedShop>[1]) =>
      customizedShop(open, customize, undefined, [badges]);
    const violated = 'DATABASE_CONSTRAINT_VIOLATED';

    it('are reported with the names that clients know, and with none that they do not', async () => {
      const { service } = await shopWithBadges((agent) =>
        agent.customizeCollection('badges', (on) =>
          on
            .renameField('code', 'series')
            .renameField('series', 'run')
            .renameField('owner_id', 'keeper')
            .removeField('secret')
            .addHook('Before', 'Create', ({ data }) => {
              for (const record of data) if (record['code'] === 'hidden') record['secret'] = 's';
            }),
        ),
      );
      const names = { field: 'series', fields: ['series', 'run'] };
      const again = service.create('badges', { series: 'A', run: 'x' }, call);
      await expect(again).rejects.toMatchObject({ code: violated, details: names });
      const { id } = await service.create('badges', { series: 'B', run: 'x' }, call);
      const changed = service.update('badges', [id], { series: 'A' }, call);
      await expect(changed).rejects.toMatchObject({
        details: names,
        message: expect.stringContaining('"series", "run"'),
      });
      const hidden = service.create('badges', { series: 'hidden' }, call);
      await expect(hidden).rejects.toMatchObject({ code: violated, details: {} });
      const toNobody = await service.create('badges', { keeper: 99 }, call).catch((error: unknown) => error);
      expect(toNobody).toMatchObject({ code: violated });
      expect((toNobody as Error).message).not.toContain('owner_id');
    });

    it('are reported for the collection that was written, whichever was asked for', async () => {
      const { service } = await shopWithBadges((agent) => {
        agent.customizeCollection('badges', (on) => on.renameField('code', 'label'));
        agent.customizeCollection('orders', (on) =>
          on
            .renameField('status', 'code')
            .addHook('Before', 'Update', ({ dataSource }) =>
              dataSource.getCollection('badges').create([{ code: 'A', series: 'x' }]),
            ),
        );
      });
      await expect(service.update('orders', [1], { code: 'open' }, call)).rejects.toMatchObject({
        code: violated,
        details: { fields: ['label', 'series'] },
      });
    });
  });

  describe('validations', () => {
    it('hold for what is sent and for what hooks make of it', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .addFieldValidation('name', 'LongerThan', 2)
            .addFieldValidation('name', 'Present')
            .addFieldValidation('email', 'Match', /@/)
            .addHook('Before', 'Update', ({ patch }) => {
              if (patch['city'] === 'hook') patch['name'] = 'x';
            }),
        ),
      );
      const refused = { code: 'REQUEST_INVALID', details: { field: 'name' } };
      await expect(service.create('customers', { city: 'x' }, call)).rejects.toMatchObject(refused);
      await expect(service.create('customers', { name: 'ab' }, call)).rejects.toMatchObject(refused);
      await expect(service.update('customers', [1], { name: null }, call)).rejects.toMatchObject(refused);
      await expect(service.update('customers', [1], { city: 'hook' }, call)).rejects.toMatchObject(refused);
      await expect(service.update('customers', [1], { email: 'x' }, call)).rejects.toMatchObject({
        details: { field: 'email' },
      });
      expect(await service.create('customers', { name: 'long enough' }, call)).toMatchObject({ email: null });
    });

    it('hold for records that are made through imported fields, as for any new record', async () => {
      const { service, values } = await customizedShop(open, (agent) =>
        agent
          .customizeCollection('orders', (on) => on.importField('buyer', { path: 'customer:name' }))
          .customizeCollection('customers', (on) =>
            on.renameField('email', 'mail').addFieldValidation('email', 'Present'),
          ),
      );
      const refused = { code: 'REQUEST_INVALID', details: { field: 'customers.mail' } };
      await expect(service.create('orders', { reference: 'X', buyer: 'Zoe' }, call)).rejects.toMatchObject(refused);
      await expect(service.update('orders', [4], { buyer: 'Zoe' }, call)).rejects.toMatchObject(refused);
      await expect(service.update('orders', [1], { buyer: 'Zoe', customer_id: 9 }, call)).rejects.toMatchObject(
        refused,
      );
      expect(await values('customers', 'name')).toEqual(['Ada', 'Bob', 'Cléo']);
      expect(await values('orders', 'reference')).toEqual(['A-1', 'A-2', 'B-1', 'C-1']);
      // One that is there already keeps the fields that are not sent.
      expect(await service.update('orders', [1], { buyer: 'Zoe' }, call)).toMatchObject({ buyer: 'Zoe' });
    });

    it('let a field be empty that was declared nullable, although it must be present', async () => {
      const { service } = await customizedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on.addFieldValidation('city', 'Present').setFieldNullable('city'),
        ),
      );
      expect(await service.create('customers', { name: 'x', city: null }, call)).toMatchObject({ city: null });
    });
  });
}
