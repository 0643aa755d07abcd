import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import { collectionNamed } from '#runtime/model/compiled-model';
import { guessedFields, guessWarnings, isUntrusted, untrustedFieldsOf } from '#runtime/model/untrusted-fields';
import { flattenJsonColumn, flattenRelation } from '#runtime/plugins/flattener/flatten-fields';

type Column = { readonly name: string; readonly type: 'String' | 'Number' | 'Json' | 'Date' };
const column = (name: string, type: Column['type'] = 'String'): Column => ({ name, type });

const tables: Readonly<Record<string, readonly Column[]>> = {
  orders: [
    column('id', 'Number'),
    column('reference'),
    column('gift_note'),
    column('data', 'Json'),
    column('customer_comment'),
  ],
  support_tickets: [
    column('id', 'Number'),
    column('subject'),
    column('body'),
    column('status'),
    column('assigned_by'),
    column('order_id', 'Number'),
  ],
  contactForms: [column('id', 'Number'), column('fullName'), column('sentAt', 'Date')],
  message_templates: [column('id', 'Number'), column('text')],
  staff: [column('id', 'Number'), column('name'), column('bio')],
};

async function modelOf(customize: (agent: Agent) => unknown = () => undefined) {
  const collector = createDeclarationCollector();
  await customize(collector.agent);
  const source = createMemoryDataSource(
    Object.entries(tables).map(([name, columns]) => ({
      name,
      schema: { columns: [...columns], primaryKey: ['id'] },
      records: [],
    })),
  );
  return compileModel([source], await collector.finish());
}

async function because(customize: (agent: Agent) => unknown, collection: string, field: string) {
  const model = await modelOf(customize);
  return untrustedFieldsOf(model).of(collectionNamed(model.original, collection), field);
}

describe('text that people outside can write', () => {
  it('is guessed by the names of public forms, and of nothing that those write who work with them', async () => {
    expect(guessedFields(await modelOf())).toEqual([
      'orders.customer_comment',
      'support_tickets.subject',
      'support_tickets.body',
      'contactForms.fullName',
      'staff.bio',
    ]);
  });

  it('is what a check warns of, where it is guessed', async () => {
    expect(guessWarnings(await modelOf())).toEqual([
      expect.stringMatching(
        /: orders\.customer_comment, support_tickets\.subject, .*markFieldUntrusted or trustFieldBecause\.$/,
      ),
    ]);
    const isSaid = await modelOf((agent) => {
      for (const [name, field] of [
        ['orders', 'customer_comment'],
        ['support_tickets', 'subject'],
        ['support_tickets', 'body'],
        ['contactForms', 'fullName'],
      ] as const)
        agent.customizeCollection(name, (collection) => collection.markFieldUntrusted(field));
      agent.customizeCollection('staff', (staff) => staff.trustFieldBecause('bio', 'We write it.'));
    });
    expect(guessWarnings(isSaid)).toEqual([]);
  });

  it('is what code says, and not what code trusts', async () => {
    const model = await modelOf((agent) => {
      agent.customizeCollection('orders', (orders) => orders.markFieldUntrusted('gift_note'));
      agent.customizeCollection('staff', (staff) =>
        staff.trustFieldBecause('bio', 'We write it.').renameField('bio', 'about'),
      );
      agent.customizeCollection('support_tickets', (tickets) => tickets.renameField('body', 'text'));
    });
    const shown = (collection: string, field: string) => isUntrusted(model, collectionNamed(model, collection), field);
    expect([shown('orders', 'gift_note'), shown('orders', 'reference')]).toEqual([true, false]);
    expect([shown('staff', 'about'), shown('support_tickets', 'text')]).toEqual([false, true]);
  });

  it.each([
    ['a computed text', 'label', 'it is made of such text'],
    ['a computed number', 'length', undefined],
    ['a computed text that code trusts', 'safe', undefined],
    ['an expression', 'both', 'it is made of such text'],
    ['what is computed of a computed text', 'again', 'it is made of such text'],
    ['a text that is made of others', 'plain', undefined],
  ])('is inherited: %s', async (_case, field, expected) => {
    const customize = (agent: Agent) =>
      agent.customizeCollection('orders', (orders) => {
        const computed = (dependencies: string[], columnType: 'String' | 'Number') => ({
          columnType,
          dependencies,
          getValues: (records: readonly unknown[]) => records.map(() => null),
        });
        orders
          .markFieldUntrusted('gift_note')
          .addField('label', computed(['reference', 'gift_note'], 'String'))
          .addField('length', computed(['gift_note'], 'Number'))
          .addField('safe', computed(['gift_note'], 'String'))
          .trustFieldBecause('safe', 'It is a checksum.')
          .addField('both', {
            columnType: 'String',
            expression: { concat: [{ field: 'reference' }, { field: 'gift_note' }] },
          })
          .addField('again', computed(['label'], 'String'))
          .addField('plain', computed(['reference'], 'String'));
      });
    expect(await because(customize, 'orders', field)).toBe(expected);
  });

  it('is inherited by what flattening makes of a document and of a related record', async () => {
    const customize = (agent: Agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders
          .markFieldUntrusted('data', 'gift_note')
          .use(flattenJsonColumn, { columnName: 'data', columnType: { wish: 'String', size: 'Number' } }),
      );
      agent.customizeCollection('support_tickets', (tickets) =>
        tickets
          .addManyToOneRelation('order', 'orders', { foreignKey: 'order_id' })
          .use(flattenRelation, { relationName: 'order', include: ['gift_note', 'reference'] }),
      );
    };
    expect(await because(customize, 'orders', 'data@@@wish')).toBe('it is made of such text');
    expect(await because(customize, 'orders', 'data@@@size')).toBeUndefined();
    expect(await because(customize, 'support_tickets', 'order@@@gift_note')).toBe('it is made of such text');
    expect(await because(customize, 'support_tickets', 'order@@@reference')).toBeUndefined();
  });

  it('is inherited by imported fields', async () => {
    const customize = (agent: Agent) => {
      agent.customizeCollection('orders', (orders) => orders.markFieldUntrusted('gift_note'));
      agent.customizeCollection('support_tickets', (tickets) =>
        tickets
          .addManyToOneRelation('order', 'orders', { foreignKey: 'order_id' })
          .importField('note', { path: 'order:gift_note' })
          .importField('number', { path: 'order:reference' }),
      );
    };
    expect(await because(customize, 'support_tickets', 'note')).toBe('it is made of such text');
    expect(await because(customize, 'support_tickets', 'number')).toBeUndefined();
  });

  it.each<[string, (agent: Agent) => unknown, RegExp]>([
    [
      'a field that is not there',
      (agent) => agent.customizeCollection('orders', (orders) => orders.markFieldUntrusted('nte')),
      /no field "nte"/,
    ],
    [
      'the key',
      (agent) => agent.customizeCollection('orders', (orders) => orders.markFieldUntrusted('id')),
      /part of the key/,
    ],
    [
      'a reason that says nothing',
      (agent) => agent.customizeCollection('staff', (staff) => staff.trustFieldBecause('bio', ' ')),
      /for a reason/,
    ],
    [
      'both',
      (agent) =>
        agent.customizeCollection('staff', (staff) => staff.markFieldUntrusted('bio').trustFieldBecause('bio', 'x')),
      /both marked as untrusted and trusted/,
    ],
  ])('is refused for %s', async (_case, customize, message) => {
    await expect(modelOf(customize)).rejects.toThrow(message);
  });
});
