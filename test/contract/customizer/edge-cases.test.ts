import { describe, expect, it } from 'vitest';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { Agent } from '#runtime/customizer/agent';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { call, customizedShop, where } from './shop.ts';

const text = (
  dependencies: readonly string[],
  value: (record: Readonly<Record<string, unknown>>) => unknown = () => 'x',
) => ({
  columnType: 'String' as const,
  dependencies,
  getValues: (records: readonly Readonly<Record<string, unknown>>[]) => records.map(value) as string[],
});

async function problemsOf(customize: (agent: Agent) => unknown): Promise<string> {
  try {
    await customizedShop(openMemory, customize);
  } catch (error) {
    if (isCloudError(error) && error.code === 'CUSTOMIZATION_INVALID') return error.message;
    throw error;
  }
  throw new Error('It compiled.');
}

describe.each([
  ['memory', openMemory],
  ['SQLite', openSqliteTables],
] as const)('edge cases of customization on %s', (_name, open) => {
  it('1: renaming a field to the name of another is refused', async () => {
    expect(
      await problemsOf((agent) => agent.customizeCollection('orders', (on) => on.renameField('status', 'reference'))),
    ).toContain('The field "status" of "orders" cannot be called "reference": "reference" is called so.');
  });

  it('2: the old name of a renamed field goes on working in dependencies, hooks and keys', async () => {
    const seen: unknown[] = [];
    const { values, service } = await customizedShop(open, (agent) => {
      agent.customizeCollection('orders', (on) =>
        on
          .renameField('seller_id', 'agent_id')
          .addField(
            'key',
            text(['seller_id'], ({ seller_id }) => String(seller_id)),
          )
          .addManyToOneRelation('seller', 'customers', { foreignKey: 'seller_id' })
          .addHook('Before', 'Update', ({ patch }) => void seen.push(patch)),
      );
    });
    expect(await values('orders', 'key')).toEqual(['2', '1', 'null', '3']);
    expect(await values('orders', 'seller:name')).toEqual(['Bob', 'Ada', undefined, 'Cléo']);
    await service.update('orders', [1], { agent_id: 3 }, call);
    expect(seen).toEqual([{ seller_id: 3 }]);
  });

  it('3: renaming a field and back changes nothing', async () => {
    const { values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) => on.renameField('status', 'state').renameField('state', 'status')),
    );
    expect(await values('orders', 'status')).toEqual(['paid', 'open', 'open', null]);
  });

  it('4: adding a field with a name that is taken is refused', async () => {
    expect(
      await problemsOf((agent) => agent.customizeCollection('orders', (on) => on.addField('status', text(['id'])))),
    ).toContain('"orders" has a column "status" already.');
  });

  it('5: a field that depends on itself, only or by way of others, is refused with the chain', async () => {
    const problem = await problemsOf((agent) => {
      agent.customizeCollection('orders', (on) => on.addField('a', text(['a'])));
      agent.customizeCollection('customers', (on) => on.addField('b', text(['c'])).addField('c', text(['b'])));
    });
    expect(problem).toContain('orders.a → orders.a');
    expect(problem).toContain('customers.b → customers.c → customers.b');
  });

  it('6: a field may be declared before the one it depends on', async () => {
    const { values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) =>
        on
          .addField(
            'second',
            text(['first'], ({ first }) => `${first}2`),
          )
          .addField(
            'first',
            text(['reference'], ({ reference }) => `${reference}1`),
          ),
      ),
    );
    expect(await values('orders', 'second')).toEqual(['A-112', 'A-212', 'B-112', 'C-112']);
  });

  it('7: the handler is called once, with the distinct combinations', async () => {
    const calls: number[] = [];
    const { values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) =>
        on.addField('shown', {
          ...text(['status']),
          getValues: (records) => {
            calls.push(records.length);
            return records.map(({ status }) => `<${status}>`);
          },
        }),
      ),
    );
    expect(await values('orders', 'shown')).toEqual(['<paid>', '<open>', '<open>', '<null>']);
    expect(calls).toEqual([3]);
  });

  it('8: a handler that returns too few values fails, with the field and the counts', async () => {
    const { values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) => on.addField('short', { ...text(['id']), getValues: () => ['x'] })),
    );
    await expect(values('orders', 'short')).rejects.toMatchObject({
      message: 'The computed field "short" of "orders" returned 1 values for 4 records.',
    });
  });

  it('9: a dependency behind a relation that leads nowhere is a null relation', async () => {
    const { values } = await customizedShop(open, (agent) =>
      agent
        .customizeCollection('orders', (on) =>
          on.addField(
            'city',
            text(['customer:city'], ({ customer }) => customer),
          ),
        )
        .customizeCollection('customers', (on) =>
          on.addField(
            'initial',
            text(['name'], ({ name }) => String(name)[0]),
          ),
        ),
    );
    expect(await values('orders', 'city')).toEqual([{ city: 'Paris' }, { city: 'Paris' }, { city: null }, null]);
    expect(await values('orders', 'customer:initial')).toEqual(['A', 'A', 'B', undefined]);
  });

  it('10: the handler is not called for no records', async () => {
    let calls = 0;
    const { values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) =>
        on.addField('never', {
          ...text(['id']),
          getValues: () => {
            calls += 1;
            return [];
          },
        }),
      ),
    );
    expect(await values('orders', 'never', where('id', 'Equal', 99))).toEqual([]);
    expect(calls).toBe(0);
  });

  it('11: an In of three values over an emulated Equal reads the records once', async () => {
    let calls = 0;
    const { values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) =>
        on
          .addField('shout', {
            ...text(['reference']),
            getValues: (records) => {
              calls += 1;
              return records.map(({ reference }) => `${reference}!`);
            },
          })
          .emulateFieldOperator('shout', 'Equal'),
      ),
    );
    expect(await values('orders', 'id', where('shout', 'In', ['A-1!', 'B-1!', 'x']))).toEqual([1, 3]);
    expect(calls).toBe(1);
  });

  it('12: native conditions come before emulated ones', async () => {
    let read = 0;
    const { values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) =>
        on
          .addField('shout', {
            ...text(['reference']),
            getValues: (records) => {
              read += records.length;
              return records.map(({ reference }) => `${reference}!`);
            },
          })
          .emulateFieldOperator('shout', 'Equal'),
      ),
    );
    const conditions = [where('shout', 'Equal', 'A-2!'), where('id', 'Equal', 2)];
    expect(await values('orders', 'id', { aggregator: 'And', conditions })).toEqual([2]);
    expect(read).toBe(1);
  });

  it('14: a sort replacement that comes back to itself is refused with the chain', async () => {
    const problem = await problemsOf((agent) =>
      agent.customizeCollection('orders', (on) =>
        on
          .replaceFieldSorting('status', [{ field: 'reference', ascending: true }])
          .replaceFieldSorting('reference', [{ field: 'status', ascending: true }]),
      ),
    );
    expect(problem).toContain('orders.status → orders.reference → orders.status');
  });

  it('23: grouping by a field behind a followed relation behind a native one works', async () => {
    let rows: unknown;
    const { service } = await customizedShop(open, (agent) => {
      agent.customizeCollection('customers', (on) =>
        on.addOneToOneRelation('contact', 'contacts', { originKey: 'customer_id' }),
      );
      agent.customizeCollection('orders', (on) =>
        on.addHook('Before', 'List', async ({ collection }) => {
          rows = await collection.aggregate(
            {},
            { operation: 'Sum', field: 'total', groups: [{ field: 'customer:contact:phone' }] },
          );
        }),
      );
    });
    await service.list({ collection: 'orders' }, call);
    expect(rows).toEqual([
      { value: '30.50', group: { 'customer:contact:phone': '+33' } },
      { value: '0.10', group: { 'customer:contact:phone': null } },
    ]);
  });

  it('24: of two records created at once only the second may carry a related one', async () => {
    let created: unknown;
    const { service, values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('customers', (on) =>
        on.addHook('Before', 'List', async ({ dataSource }) => {
          created = await dataSource
            .getCollection('orders')
            .create([{ reference: 'N-1' }, { reference: 'N-2', customer: { name: 'Nina' } }]);
        }),
      ),
    );
    await service.list({ collection: 'customers', projection: ['id'] }, call);
    expect(created).toMatchObject([{ customer_id: null }, { customer_id: 4 }]);
    expect(await values('orders', 'reference', where('customer_id', 'Equal', 4))).toEqual(['N-2']);
  });

  it('25: writing an imported field where the relation leads nowhere makes and links a partner', async () => {
    const { service, values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) => on.importField('buyer', { path: 'customer:name' })),
    );
    await service.update('orders', [4], { buyer: 'Nina' }, call);
    expect(await values('orders', 'buyer')).toEqual(['Ada', 'Ada', 'Bob', 'Nina']);
  });

  it('26: an update of what it filters on reaches the related records too', async () => {
    let updated: unknown;
    const { service, values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('contacts', (on) =>
        on.addHook('Before', 'List', async ({ dataSource }) => {
          updated = await dataSource
            .getCollection('orders')
            .update(
              { conditionTree: where('status', 'Equal', 'open') },
              { status: 'done', customer: { city: 'Rome' } },
            );
        }),
      ),
    );
    await service.list({ collection: 'contacts', projection: ['id'] }, call);
    expect(updated).toBe(2);
    expect(await values('orders', 'status')).toEqual(['paid', 'done', 'done', null]);
    expect(await values('customers', 'city')).toEqual(['Rome', 'Rome', 'Lyon']);
  });

  it('28: a field with a rule of length may be left out of a create', async () => {
    const { service } = await customizedShop(open, (agent) =>
      agent.customizeCollection('customers', (on) => on.addFieldValidation('city', 'LongerThan', 2)),
    );
    expect(await service.create('customers', { name: 'x' }, call)).toMatchObject({ city: null });
  });

  it('31, 32: an unknown segment and one that gives nothing are errors, never unfiltered data', async () => {
    const { service } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) => on.addSegment('nothing', (() => null) as never)),
    );
    const list = (segment: string) => service.list({ collection: 'orders', segment }, call);
    await expect(list('unknown')).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await expect(list('nothing')).rejects.toMatchObject({ code: 'CUSTOMIZATION_FAILED' });
  });

  it('33: hidden and read-only fields cannot be written', async () => {
    const { service } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) => on.removeField('status').addField('label', text(['id']))),
    );
    for (const name of ['status', 'label']) {
      await expect(service.update('orders', [1], { [name]: 'y' }, call)).rejects.toMatchObject({
        details: { field: name },
      });
    }
  });

  it('a swap of two names is possible', async () => {
    const { values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('orders', (on) =>
        on.renameField('status', 'reference').renameField('reference', 'status'),
      ),
    );
    expect(await values('orders', 'reference')).toEqual(['paid', 'open', 'open', null]);
  });
});
