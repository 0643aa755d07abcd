import { describe, expect, it } from 'vitest';
import { isCloudError } from '#kernel/errors/cloud-error';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const script = `
  create table customers (id integer primary key, name text not null, email text);
  create table orders (id integer primary key, reference text not null, customer_id integer references customers);
`;

async function compile(customize: (agent: Agent) => void) {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  return compileModel([await temporaryDataSource(script)], await collector.finish());
}

async function problemsOf(customize: (agent: Agent) => void) {
  try {
    await compile(customize);
  } catch (error) {
    if (isCloudError(error) && error.code === 'CUSTOMIZATION_INVALID') return error;
    throw error;
  }
  throw new Error('It compiled.');
}

/** A customizer as code sees it that is not type checked. */
type Loose = Record<string, (...parameters: unknown[]) => unknown>;

const text = (dependencies: string[]) => ({
  columnType: 'String' as const,
  dependencies,
  getValues: (records: readonly unknown[]) => records.map(() => 'x'),
});

describe('compileModel', () => {
  it('takes declarations in any order, computed fields on computed fields and through relations', async () => {
    const model = await compile((agent) => {
      agent.customizeCollection('orders', (orders) => orders.addField('title', text(['label', 'customer:greeting'])));
      agent.customizeCollection('orders', (orders) => orders.addField('label', text(['reference'])));
      agent.customizeCollection('customers', (customers) => customers.addField('greeting', text(['name'])));
    });
    expect([...(model.collections.get('orders')?.fields.keys() ?? [])]).toContain('title');
  });

  it('shows a computed field as read-only, unsortable and without filters', async () => {
    const model = await compile((agent) => {
      agent.customizeCollection('orders', (orders) => orders.addField('label', text(['reference'])));
    });
    const field = model.collections.get('orders')?.fields.get('label');
    expect(field).toMatchObject({
      kind: 'computed',
      column: { isReadOnly: true, isSortable: false, operators: new Set() },
    });
  });

  it('reports every problem at once, each with its place, the first as the location', async () => {
    const error = await problemsOf((agent) => {
      agent.customizeCollection('custmers', () => undefined);
      agent.customizeCollection('customers', (customers) =>
        customers
          .addField('name', text(['email']))
          .addField('shout', text(['nmae']))
          .addSegment('odd', { field: 'name', operator: 'Equal', value: 1 }),
      );
    });
    expect(error.message).toContain('4 declarations do not fit the model');
    expect(error.message).toContain('There is no collection "custmers". Did you mean "customers"?');
    expect(error.message).toContain('"customers" has a column "name" already.');
    expect(error.message).toContain('no field "nmae". Did you mean "name"?');
    expect(error.message).toContain('The segment "odd" of "customers"');
    expect(error.message.match(/compile-model\.test\.ts:\d+\)/g)).toHaveLength(4);
    expect(error.location?.file).toMatch(/compile-model\.test\.ts$/);
  });

  it.each<[string, (orders: Loose) => unknown, string]>([
    ['an import', (orders) => orders['importField']?.('x'), 'The import "x" of "orders" needs a definition.'],
    ['a relation', (orders) => orders['addManyToOneRelation']?.('x', 'customers', {}), 'The relation "x" of "orders"'],
    ['a rename', (orders) => orders['renameField']?.(null, 'x'), 'has no field "null"'],
    [
      'a sort',
      (orders) => orders['replaceFieldSorting']?.('reference', ['id']),
      '"reference" of "orders" is sorted by',
    ],
    ['a segment', (orders) => orders['addSegment']?.('x', { operator: 'Present' }), 'The segment "x" of "orders"'],
    ['a branch', (orders) => orders['addSegment']?.('x', { aggregator: 'Or' }), 'The segment "x" of "orders"'],
  ])('refuses %s that JavaScript leaves unfinished, with its place', async (_kind, declare, message) => {
    const error = await problemsOf((agent) => {
      agent.customizeCollection('orders', (orders) => declare(orders as unknown as Loose));
    });
    expect(error.message).toContain(message);
    expect(error.location?.file).toContain('compile-model.test.ts');
  });

  it.each<[string, Parameters<Loose[string]>]>([
    ['does not have the operator', ['customer_id', 'LongerThan', 3]],
    ['is not of the type', ['customer_id', 'GreaterThan', 'abc']],
    ['needs a value', ['reference', 'LongerThan']],
    ['needs an expression', ['reference', 'Match', '(']],
  ])('refuses a validation that could never be met: it %s', async (_why, parameters) => {
    const error = await problemsOf((agent) => {
      agent.customizeCollection('orders', (orders) =>
        (orders as unknown as Loose)['addFieldValidation']?.(...parameters),
      );
    });
    expect(error.message).toContain('cannot be met');
    expect(error.location?.file).toContain('compile-model.test.ts');
  });

  it('names the chain of a cycle, once', async () => {
    const error = await problemsOf((agent) => {
      agent.customizeCollection('customers', (customers) =>
        customers
          .addField('a', text(['b']))
          .addField('b', text(['name', 'a']))
          .addField('self', text(['self'])),
      );
    });
    expect(error.message).toContain('customers.a → customers.b → customers.a');
    expect(error.message).toContain('customers.self → customers.self');
    expect(error.message).toContain('2 declarations');
  });

  it.each([
    ['a name with a space', 'full name', text(['name']), 'space or a colon'],
    ['no dependency', 'a', text([]), 'at least one dependency'],
    ['a dependency on a relation', 'a', text(['orders']), 'is a relation'],
    ['a path through a to-many relation', 'a', text(['orders:reference']), 'does not lead to one record'],
    ['an Enum without values', 'a', { ...text(['name']), columnType: 'Enum' as const }, 'enumValues'],
  ])('refuses a computed field with %s', async (_what, name, definition, message) => {
    const error = await problemsOf((agent) => {
      agent.customizeCollection('customers', (customers) => customers.addField(name, definition));
    });
    expect(error.message).toContain(message);
  });

  it('addresses actions by position and slug, and refuses a second one of the same name', async () => {
    const execute = () => undefined;
    const model = await compile((agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders.addAction('Refund', { scope: 'Single', execute }).addAction('Mark as Paid!', { scope: 'Bulk', execute }),
      );
    });
    expect([...(model.collections.get('orders')?.actions.keys() ?? [])]).toEqual(['0/refund', '1/mark-as-paid-']);
    const error = await problemsOf((agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders.addAction('Refund', { scope: 'Single', execute }).addAction('Refund', { scope: 'Bulk', execute }),
      );
    });
    expect(error.message).toContain('has an action "Refund" already');
  });

  it('fails no earlier with what a callback rejects with while another one is awaited', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const slow = Promise.withResolvers<void>();
    const collector = createDeclarationCollector();
    collector.agent.customizeCollection('customers', () => slow.promise);
    collector.agent.customizeCollection('orders', async () => {
      throw new Error('from the callback');
    });
    const finished = collector.finish();
    await new Promise((resolve) => setImmediate(resolve));
    slow.resolve();
    await expect(finished).rejects.toThrow('from the callback');
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('fails with what an async callback rejects with, and refuses declarations that come later', async () => {
    const collector = createDeclarationCollector();
    collector.agent.customizeCollection('orders', async () => {
      throw new Error('from the callback');
    });
    await expect(collector.finish()).rejects.toThrow('from the callback');
    const late = createDeclarationCollector();
    await late.finish();
    expect(() => late.agent.customizeCollection('orders', () => undefined)).toThrow('after the agent had started');
  });
});
