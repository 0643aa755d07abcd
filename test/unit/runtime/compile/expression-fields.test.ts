import { describe, expect, it } from 'vitest';
import { isCloudError } from '#kernel/errors/cloud-error';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import {
  add,
  caseWhen,
  coalesce,
  concat,
  datePart,
  divide,
  field,
  jsonPath,
  multiply,
  when,
} from '#runtime/query/build-expression';
import type { Expression } from '#runtime/query/expression';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const script = `
  create table customers (id integer primary key, first text not null, last text);
  create table orders (
    id integer primary key,
    price decimal(10,2),
    quantity integer,
    placed_at datetime,
    payload json,
    customer_id integer references customers
  );
  insert into customers values (1, 'Ada', 'Lovelace'), (2, 'Bob', null);
  insert into orders values
    (1, 10.5, 2, '2024-03-31T00:30:00.000Z', '{"city":"Rom","size":2}', 1),
    (2, 3, 5, '2024-12-31T23:30:00.000Z', '{"city":"Ulm"}', 1),
    (3, null, 1, null, null, 2),
    (4, 7.25, 4, '2024-03-31T01:30:00.000Z', '[]', null);
`;

const notes = createMemoryDataSource([
  {
    name: 'notes',
    schema: {
      columns: [
        { name: 'order_id', type: 'Number' },
        { name: 'text', type: 'String' },
      ],
      primaryKey: ['order_id'],
    },
    records: [{ order_id: 1, text: 'fragile' }],
  },
]);

const context = callIn('Europe/Paris');

async function modelOf(customize: (agent: Agent) => void, change: (source: DataSource) => DataSource = (same) => same) {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  return compileModel([change(await temporaryDataSource(script)), notes], await collector.finish());
}

async function serve(...parameters: Parameters<typeof modelOf>) {
  const model = await modelOf(...parameters);
  return { model, service: createRecordService(model, everythingAllowed) };
}

async function problemOf(customize: (agent: Agent) => void): Promise<string> {
  try {
    await modelOf(customize);
  } catch (error) {
    if (isCloudError(error) && error.code === 'CUSTOMIZATION_INVALID') return error.message;
    throw error;
  }
  throw new Error('It compiled.');
}

const number = (expression: Expression) => ({ columnType: 'Number', expression }) as const;
const text = (expression: Expression) => ({ columnType: 'String', expression }) as const;
const byId = [{ field: 'id', ascending: true }];

/** The data source without what makes it extensible. */
function closed({ extendedBy: _extendedBy, operatorsOf: _operatorsOf, ...rest }: DataSource): DataSource {
  return rest;
}

function shop(agent: Agent): void {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addField('title', text(concat(field('label'), ' for ', field('buyer'))))
      .addField('label', text(concat('#', field('id'), ': ', field('total'))))
      .addField('total', number(multiply(field('price'), field('quantity'))))
      .importField('buyer', { path: 'customer:full' })
      .addField('hour', number(datePart('hour', 'placed_at')))
      .addField('city', text(jsonPath('payload', ['city'])))
      .addField('size', {
        columnType: 'Enum',
        enumValues: ['large', 'small'],
        expression: caseWhen([when({ field: 'total', operator: 'GreaterThan', value: 20 }, 'large')], 'small'),
      })
      .addField('shout', {
        columnType: 'String',
        dependencies: ['title'],
        getValues: (records) => records.map(({ title }) => String(title).toUpperCase()),
      }),
  );
  agent.customizeCollection('customers', (customers) =>
    customers.addField('full', text(concat(field('first'), ' ', coalesce(field('last'), '?')))),
  );
}

describe('a field of an expression', () => {
  it('is a column, whatever the order of the declarations: listed, filtered, sorted, searched, counted', async () => {
    const { model, service } = await serve((agent) => {
      shop(agent);
      agent.customizeCollection('orders', (orders) =>
        orders.addSegment('large', { field: 'size', operator: 'Equal', value: 'large' }),
      );
    });
    expect(model.collections.get('orders')?.fields.get('title')).toMatchObject({
      kind: 'column',
      type: 'String',
      isReadOnly: true,
      isSortable: true,
    });
    const list = { collection: 'orders', projection: ['title', 'size', 'hour', 'shout'], sort: byId };
    expect(await service.list(list, context)).toEqual([
      { id: 1, title: '#1: 21.00 for Ada Lovelace', size: 'large', hour: 1, shout: '#1: 21.00 FOR ADA LOVELACE' },
      { id: 2, title: '#2: 15.00 for Ada Lovelace', size: 'small', hour: 0, shout: '#2: 15.00 FOR ADA LOVELACE' },
      { id: 3, title: '#3:  for Bob ?', size: 'small', hour: null, shout: '#3:  FOR BOB ?' },
      { id: 4, title: '#4: 29.00 for ', size: 'large', hour: 3, shout: '#4: 29.00 FOR ' },
    ]);
    const ids = async (query: object) => {
      const records = await service.list({ collection: 'orders', projection: ['id'], sort: byId, ...query }, context);
      return records.map(({ id }) => id);
    };
    expect(await ids({ where: { field: 'title', operator: 'IContains', value: 'lovelace' } })).toEqual([1, 2]);
    expect(await ids({ where: { field: 'buyer', operator: 'Equal', value: 'Bob ?' } })).toEqual([3]);
    expect(await ids({ where: { field: 'customer:full', operator: 'StartsWith', value: 'Ada' } })).toEqual([1, 2]);
    expect(await ids({ sort: [{ field: 'total', ascending: false }] })).toEqual([4, 1, 2, 3]);
    expect(await ids({ sort: [{ field: 'buyer', ascending: false }] })).toEqual([3, 2, 1, 4]);
    expect(await ids({ search: 'bob ?' })).toEqual([3]);
    expect(await ids({ search: 'bob', isSearchExtended: true })).toEqual([3]);
    expect(await ids({ segment: 'large' })).toEqual([1, 4]);
    expect(await service.count({ collection: 'orders', where: { field: 'city', operator: 'Present' } }, context)).toBe(
      2,
    );
  });

  it('keeps its place when fields are renamed, and is grouped by in the database', async () => {
    const seen: unknown[] = [];
    const { service } = await serve((agent) => {
      shop(agent);
      agent.customizeCollection('orders', (orders) =>
        orders
          .renameField('price', 'cost')
          .renameField('total', 'sum')
          .addHook('After', 'List', async (hook) => {
            const aggregation = { operation: 'Sum', field: 'total', groups: [{ field: 'size' }] } as const;
            seen.push(await hook.collection.aggregate({}, aggregation));
          }),
      );
    });
    const where = { field: 'sum', operator: 'LessThan', value: '20' } as const;
    const records = await service.list({ collection: 'orders', projection: ['cost', 'sum'], where }, context);
    expect(records).toEqual([{ id: 2, cost: '3.00', sum: '15.00' }]);
    expect(seen).toEqual([
      [
        { value: '50.00', group: { size: 'large' } },
        { value: '15.00', group: { size: 'small' } },
      ],
    ]);
  });

  it('cannot be written, by requests or by code', async () => {
    const { service } = await serve((agent) => {
      shop(agent);
      agent.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'Create', async (hook) => {
          await hook.collection.update({}, { total: 1 });
        }),
      );
    });
    await expect(service.update('orders', [1], { total: '1' }, context)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: 'The field "total" is read-only.',
    });
    await expect(service.create('orders', { id: 9 }, context)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining('"total" of "orders"'),
    });
  });

  it('is computed by the agent where the database cannot, to the same values', async () => {
    const native = await serve(shop);
    const fallback = await serve(shop, closed);
    expect(fallback.model.collections.get('orders')?.fields.get('title')).toMatchObject({
      kind: 'computed',
      column: { operators: new Set(), isSortable: false },
    });
    const projection = ['title', 'label', 'total', 'buyer', 'hour', 'city', 'size', 'shout'];
    const list = { collection: 'orders', projection, sort: byId };
    expect(await fallback.service.list(list, context)).toEqual(await native.service.list(list, context));
    const where = { field: 'title', operator: 'Present' } as const;
    await expect(fallback.service.list({ ...list, where }, context)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('is computed by the agent of fields that the agent computes, or that lie elsewhere', async () => {
    const { model, service } = await serve((agent) =>
      agent.customizeCollection('orders', (orders) =>
        orders
          .addManyToOneRelation('note', 'notes', { foreignKey: 'id', foreignKeyTarget: 'order_id' })
          .addField('remark', text(concat(field('note:text'), '!')))
          .addField('twice', text(concat(field('shout'), field('shout'))))
          .addField('shout', {
            columnType: 'String',
            dependencies: ['quantity'],
            getValues: (records) => records.map(({ quantity }) => `${quantity}!`),
          })
          .emulateFieldFiltering('remark'),
      ),
    );
    expect(model.collections.get('orders')?.fields.get('twice')).toMatchObject({ kind: 'computed' });
    const where = { field: 'remark', operator: 'StartsWith', value: 'fragile' } as const;
    const list = { collection: 'orders', projection: ['remark', 'twice'] };
    expect(await service.list({ ...list, where }, context)).toEqual([{ id: 1, remark: 'fragile!', twice: '2!2!' }]);
  });
});

describe('the check of expressions', () => {
  const onOrders = (name: string, definition: object) => (agent: Agent) => {
    agent.customizeCollection('orders', (orders) => orders.addField(name, definition as never));
  };

  it.each<[string, object, string]>([
    ['both forms', { ...text(field('id')), dependencies: ['id'], getValues: () => [] }, 'it can have one of the two'],
    ['no expression', { columnType: 'String', expression: 'id' }, 'needs an expression'],
    ['an unknown kind', { columnType: 'String', expression: { power: [] } }, 'of no known kind: power'],
    ['an unknown field', text(concat(field('pirce'))), 'no field "pirce". Did you mean "price"?'],
    ['an unknown relation', text(concat(field('custmer:first'))), 'no relation "custmer". Did you mean "customer"?'],
    ['a relation as a field', text(field('customer')), 'which is a relation; name one of its fields'],
    ['another type', text(multiply(field('price'), 2)), 'is a Number, which its column type String is not'],
    ['a text to reckon with', number(add(field('payload'), 1)), 'whose type (Json) has no expressions'],
    ['a date in a text', text(concat(field('placed_at'))), 'puts a Date into a text'],
    ['a part of a number', number(datePart('year', 'price')), 'which is not a date'],
    ['a path into a text', text(jsonPath('customer:first', ['a'])), 'which is not a document'],
    ['a key with a quotation mark', text(jsonPath('payload', ['a"b'])), 'a step is a key without quotation marks'],
    ['only null', text(coalesce(null, null)), 'is always null'],
    ['alternatives of two types', text(coalesce(field('price'), 'none')), 'is a Number or a String'],
    [
      'a condition that cannot be',
      text(caseWhen([when({ field: 'price', operator: 'IContains', value: 'x' }, 'a')])),
      'has a condition on "price" that cannot be',
    ],
    ['writing what is not a document', { ...text(field('quantity')), readonly: false }, 'is a Number'],
    ['writing a list', { ...text(jsonPath('payload', [0])), readonly: false }, 'cannot be written'],
    ['one number', number({ add: [{ value: 1 }] }), 'a list of at least 2'],
    ['a division of three', number({ divide: [1, 2, 3] } as never), 'needs two numbers to divide'],
  ])('refuses %s', async (_what, definition, problem) => {
    const message = await problemOf(onOrders('made', definition));
    expect(message).toContain('The field "made" of "orders"');
    expect(message).toContain(problem);
  });

  it('refuses circles with the chain, also through imports and fields of JavaScript', async () => {
    const circle = await problemOf((agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders.addField('a', text(concat(field('buyer')))).importField('buyer', { path: 'customer:b' }),
      );
      agent.customizeCollection('customers', (customers) =>
        customers
          .addOneToOneRelation('newest', 'orders', { originKey: 'customer_id' })
          .addField('b', text(concat(field('newest:a')))),
      );
    });
    expect(circle).toContain('depends on itself: customers.b → orders.a → customers.b.');
    expect(circle.match(/depends on itself/g)).toHaveLength(1);
    const mixed = await problemOf((agent) =>
      agent.customizeCollection('orders', (orders) =>
        orders.addField('a', text(concat(field('b')))).addField('b', {
          columnType: 'String',
          dependencies: ['a'],
          getValues: (records) => records.map(() => ''),
        }),
      ),
    );
    expect(mixed).toContain('in a circle: orders.a → orders.b → orders.a');
  });

  it('divides exact numbers into floating-point ones, by zero into nothing', async () => {
    const { service } = await serve((agent) =>
      agent.customizeCollection('orders', (orders) =>
        orders.addField('rate', number(divide(field('price'), add(field('quantity'), -2)))),
      ),
    );
    const records = await service.list({ collection: 'orders', projection: ['rate'], sort: byId }, context);
    expect(records.map(({ rate }) => rate)).toEqual([null, 1, null, 3.625]);
  });
});
