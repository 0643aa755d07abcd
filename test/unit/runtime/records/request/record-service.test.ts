import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { Authoriser } from '#runtime/permissions/authoriser';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

const script = `
  create table customers (id integer primary key, name text not null, tier text check (tier in ('Gold', 'Silver')));
  create table orders (
    id integer primary key autoincrement,
    reference text not null unique,
    total decimal(10,2),
    token uuid,
    picture blob,
    customer_id integer references customers
  );
  create table lines (order_id integer, sku text, quantity integer, primary key (order_id, sku));
  create table log (message text, rowid text, _rowid_ text, oid text);
  insert into customers values (1, 'Ünal', 'Gold'), (2, 'Bob', 'Silver');
  insert into orders values
    (1, 'A-1', 10.5, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', x'89504e470d0a1a0a', 1),
    (2, 'A-2', 20, null, null, 1),
    (3, 'B-1', 10.5, null, null, 2),
    (4, 'B-2', null, null, null, null);
  insert into lines values (1, 'x', 2), (1, 'y', 3);
`;

const context = callIn('Europe/Paris');

interface Rights {
  readonly scopes?: Readonly<Record<string, ConditionTree>>;
  readonly unreadable?: readonly string[];
}

/** Allows everything but what it is asked, and writes down what it was asked. */
function authoriserOf({ scopes = {}, unreadable = [] }: Rights, asked: string[]): Authoriser {
  return {
    ...everythingAllowed,
    require: async (_caller, collection, right) => {
      asked.push(`${right} ${collection}`);
    },
    requireReadOn: async (_caller, collections) => {
      for (const name of collections) {
        asked.push(`read on ${name}`);
        if (!unreadable.includes(name)) continue;
        throw cloudError('REQUEST_FORBIDDEN', `not ${name}`, 'Ask.');
      }
    },
    scopeOf: async (_caller, collection) => scopes[collection],
  };
}

async function serve(customize: (agent: Agent) => void = () => undefined, rights: Rights = {}) {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  const model = compileModel([await temporaryDataSource(script)], await collector.finish());
  const asked: string[] = [];
  return { service: createRecordService(model, authoriserOf(rights, asked)), asked };
}

describe('list', () => {
  it('gives the records of keys, of composite and renamed ones too', async () => {
    const { service } = await serve((agent) => {
      agent.customizeCollection('lines', (lines) => lines.renameField('sku', 'article'));
    });
    const orders = { collection: 'orders', projection: ['reference'], keys: [[3], [1], [99]] };
    const sorted = { ...orders, sort: [{ field: 'id', ascending: true }] };
    expect((await service.list(sorted, context)).map(({ reference }) => reference)).toEqual(['A-1', 'B-1']);
    const where = { field: 'reference', operator: 'Equal' as const, value: 'B-1' };
    expect(await service.count({ ...orders, where }, context)).toBe(1);
    const lines = { collection: 'lines', projection: ['quantity'], keys: [[1, 'y']] };
    expect(await service.list(lines, context)).toEqual([{ quantity: 3, order_id: 1, article: 'y' }]);
  });

  it('gives what is projected, keys of every traversed collection along, absent relations as null', async () => {
    const { service, asked } = await serve();
    const records = await service.list(
      {
        collection: 'orders',
        projection: ['reference', 'customer:name'],
        sort: [{ field: 'id', ascending: false }],
        page: { skip: 0, limit: 2 },
      },
      context,
    );
    expect(records).toEqual([
      { reference: 'B-2', id: 4, customer: null },
      { reference: 'B-1', id: 3, customer: { name: 'Bob', id: 2 } },
    ]);
    expect(asked).toEqual(['browse orders', 'read on customers']);
  });

  it('gives every field and every field of readable to-one relations by default', async () => {
    const { service } = await serve();
    const [record] = await service.list(
      { collection: 'orders', where: { field: 'id', operator: 'Equal', value: 1 } },
      context,
    );
    expect(record).toEqual({
      id: 1,
      reference: 'A-1',
      total: '10.50',
      token: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
      picture: 'data:image/png;base64,iVBORw0KGgo=',
      customer_id: 1,
      customer: { id: 1, name: 'Ünal', tier: 'Gold' },
    });
    const restricted = await serve(undefined, { unreadable: ['customers'] });
    const [bare] = await restricted.service.list({ collection: 'orders' }, context);
    expect(bare).not.toHaveProperty('customer');
  });

  it.each([
    ['projects', { projection: ['customer:name'] }],
    ['filters', { where: { field: 'customer:name', operator: 'Equal', value: 'Bob' } as const }],
    ['sorts', { sort: [{ field: 'customer:name', ascending: true }] }],
  ])('is forbidden when it %s a collection the caller may not read', async (_what, query) => {
    const { service } = await serve(undefined, { unreadable: ['customers'] });
    await expect(service.list({ collection: 'orders', ...query }, context)).rejects.toMatchObject({
      code: 'REQUEST_FORBIDDEN',
    });
  });

  it('adds the scope of the caller, and is closed by a scope that does not fit', async () => {
    const scope = { field: 'customer:name', operator: 'Equal', value: 'Bob' } as const;
    const { service } = await serve(undefined, { scopes: { orders: scope } });
    expect(await service.count({ collection: 'orders' }, context)).toBe(1);
    await expect(service.get('orders', [1], undefined, context)).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    expect(await service.update('orders', [1], { reference: 'hijacked' }, context)).toBeNull();
    expect(await service.delete('orders', { field: 'id', operator: 'In', value: [1, 3] }, context)).toBe(1);
    const broken = await serve(undefined, { scopes: { orders: { ...scope, field: 'gone' } } });
    await expect(broken.service.list({ collection: 'orders' }, context)).rejects.toMatchObject({
      code: 'REQUEST_FORBIDDEN',
    });
  });

  it.each([
    ['an unknown field', { projection: ['refernce'] }, 'REQUEST_FIELD_UNKNOWN', 'Did you mean "reference"?'],
    ['a relation without a field', { projection: ['customer'] }, 'REQUEST_INVALID', 'is a relation'],
    ['an unknown segment', { segment: 'none' }, 'REQUEST_INVALID', 'no segment "none"'],
    ['a sort by bytes', { sort: [{ field: 'picture', ascending: true }] }, 'REQUEST_INVALID', 'cannot be sorted'],
    ['an unknown sort', { sort: [{ field: 'x', ascending: true }] }, 'REQUEST_FIELD_UNKNOWN', 'no field "x"'],
    [
      'a filter of the wrong type',
      { where: { field: 'id', operator: 'Equal', value: {} } as const },
      'REQUEST_INVALID',
      'Invalid filters (',
    ],
  ])('refuses %s', async (_what, query, code, message) => {
    const { service } = await serve();
    await expect(service.list({ collection: 'orders', ...query }, context)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it('learns which fields there are where it names one that is like none of them', async () => {
    const { service } = await serve();
    const nextSteps = [expect.stringMatching(/^Use one of its fields: id, reference, total, .+\.$/)];
    const read = service.list({ collection: 'orders', projection: ['zzzzzz'] }, context);
    await expect(read).rejects.toMatchObject({ code: 'REQUEST_FIELD_UNKNOWN', nextSteps });
    const written = service.update('orders', [1], { zzzzzz: 1 }, context);
    await expect(written).rejects.toMatchObject({ code: 'REQUEST_FIELD_UNKNOWN', nextSteps });
  });

  it.each([
    ['a-', false, [1, 2]],
    ['10.5', false, [1, 3]],
    ['A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', false, [1]],
    ['ünal', true, [1, 2]],
    ['ÜNAL', true, [1, 2]],
    ['gold', true, [1, 2]],
    ['ünal', false, []],
    ['  ', false, [1, 2, 3, 4]],
    ['%', false, []],
  ])('finds by search %j, extended %s, the records %j', async (search, isSearchExtended, ids) => {
    const { service } = await serve();
    const query = { collection: 'orders', projection: ['id'], search, isSearchExtended };
    expect((await service.list(query, context)).map((record) => record['id'])).toEqual(ids);
    expect(await service.count(query, context)).toBe(ids.length);
  });

  it('filters by segments, also those that depend on the caller', async () => {
    const { service } = await serve((agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders
          .addSegment('A', { field: 'reference', operator: 'StartsWith', value: 'A' })
          .addSegment('mine', async ({ caller }) => ({ field: 'customer_id', operator: 'Equal', value: caller.id }))
          .addSegment('broken', () => ({ field: 'nope', operator: 'Present' }))
          .addSegment('thrown', () => {
            throw new Error('secret');
          }),
      );
    });
    expect(await service.count({ collection: 'orders', segment: 'A' }, context)).toBe(2);
    expect(await service.count({ collection: 'orders', segment: 'mine' }, context)).toBe(2);
    for (const segment of ['broken', 'thrown']) {
      await expect(service.count({ collection: 'orders', segment }, context)).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.not.stringContaining('secret'),
      });
    }
  });
});

describe('computed fields', () => {
  const calls: unknown[][] = [];

  async function serveComputed() {
    calls.length = 0;
    return serve((agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders
          .addField('label', {
            columnType: 'String',
            dependencies: ['total', 'customer:shout'],
            getValues: async (records) => {
              calls.push([...records]);
              return records.map((record) => JSON.stringify(record));
            },
          })
          .addField('short', { columnType: 'String', dependencies: ['id'], getValues: () => [] })
          .addField('thrown', {
            columnType: 'String',
            dependencies: ['id'],
            getValues: () => {
              throw new Error('no secrets here');
            },
          }),
      );
      agent.customizeCollection('customers', (customers) =>
        customers.addField('shout', {
          columnType: 'String',
          dependencies: ['name'],
          getValues: (records) => records.map((record) => String(record['name']).toUpperCase()),
        }),
      );
    });
  }

  it('are computed once a query, for distinct dependencies, through relations and on one another', async () => {
    const { service } = await serveComputed();
    const records = await service.list({ collection: 'orders', projection: ['label'] }, context);
    expect(records).toEqual([
      { label: '{"total":"10.50","customer":{"shout":"ÜNAL"}}', id: 1 },
      { label: '{"total":"20.00","customer":{"shout":"ÜNAL"}}', id: 2 },
      { label: '{"total":"10.50","customer":{"shout":"BOB"}}', id: 3 },
      { label: '{"total":null,"customer":null}', id: 4 },
    ]);
    expect(calls).toHaveLength(1);
    await service.list(
      { collection: 'orders', projection: ['label'], where: { field: 'id', operator: 'In', value: [1] } },
      context,
    );
    expect(calls).toHaveLength(2);
  });

  it('are not computed when nobody asks, nor for no records', async () => {
    const { service } = await serveComputed();
    await service.list({ collection: 'orders', projection: ['id'] }, context);
    await service.list(
      { collection: 'orders', projection: ['label'], where: { field: 'id', operator: 'Equal', value: 99 } },
      context,
    );
    expect(calls).toHaveLength(0);
  });

  it('fail by name when the handler throws or gives the wrong number of values', async () => {
    const { service } = await serveComputed();
    await expect(service.list({ collection: 'orders', projection: ['short'] }, context)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: 'The computed field "short" of "orders" returned 0 values for 4 records.',
    });
    await expect(service.list({ collection: 'orders', projection: ['thrown'] }, context)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: 'The computed field "thrown" of "orders" threw an error.',
      location: { file: expect.stringMatching(/record-service\.test\.ts$/) },
    });
  });

  it('cannot be filtered or sorted by', async () => {
    const { service } = await serveComputed();
    const where = { field: 'label', operator: 'Present' } as const;
    await expect(service.count({ collection: 'orders', where }, context)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    await expect(
      service.list({ collection: 'orders', sort: [{ field: 'label', ascending: true }] }, context),
    ).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });
});

describe('get', () => {
  it('finds by composite key', async () => {
    const { service, asked } = await serve();
    expect(await service.get('lines', [1, 'y'], undefined, context)).toEqual({ order_id: 1, sku: 'y', quantity: 3 });
    expect(asked[0]).toBe('read lines');
  });

  it.each<[string, readonly unknown[], string]>([
    ['lines', [1], 'REQUEST_INVALID'],
    ['lines', [1, null], 'REQUEST_INVALID'],
    ['orders', ['x'], 'REQUEST_INVALID'],
    ['orders', [99], 'REQUEST_NOT_FOUND'],
    ['order', [1], 'REQUEST_NOT_FOUND'],
    ['log', [1], 'REQUEST_UNPROCESSABLE'],
  ])('fails with an error of its own: %s %j, %s', async (collection, id, code) => {
    const { service } = await serve();
    await expect(service.get(collection, id, undefined, context)).rejects.toMatchObject({ code });
  });
});

describe('writes', () => {
  it('create a record and give it as it is in the database', async () => {
    const { service, asked } = await serve();
    const created = await service.create('orders', { reference: 'C-1', total: '1234567.89', customer_id: 2 }, context);
    expect(created).toMatchObject({ id: 5, reference: 'C-1', total: '1234567.89', customer: { name: 'Bob' } });
    expect(asked).toContain('add orders');
  });

  it('update a record, its key included', async () => {
    const { service, asked } = await serve();
    expect(await service.update('lines', [1, 'x'], { sku: 'z', quantity: 9 }, context)).toEqual({
      order_id: 1,
      sku: 'z',
      quantity: 9,
    });
    expect(await service.update('lines', [1, 'x'], { quantity: 1 }, context)).toBeNull();
    expect(asked).toContain('edit lines');
  });

  it('tolerate a read-only field that does not change and refuse one that does', async () => {
    const { service } = await serve();
    expect(await service.update('orders', [1], { id: 1, reference: 'A-9' }, context)).toMatchObject({
      reference: 'A-9',
    });
    await expect(service.update('orders', [1], { id: 2 }, context)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: 'The field "id" is read-only.',
      details: { field: 'id' },
    });
    await expect(service.create('orders', { id: 9, reference: 'x' }, context)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  it.each([
    [{ refernce: 'x' }, 'REQUEST_FIELD_UNKNOWN'],
    [{ reference: 12 }, 'REQUEST_INVALID'],
    [{ total: 'many' }, 'REQUEST_INVALID'],
    [{ token: 'x' }, 'REQUEST_INVALID'],
    [{ customer: { id: 1 } }, 'REQUEST_INVALID'],
    [{ reference: null }, 'DATABASE_CONSTRAINT_VIOLATED'],
    [{ reference: 'A-2' }, 'DATABASE_CONSTRAINT_VIOLATED'],
    [{ customer_id: 99 }, 'DATABASE_CONSTRAINT_VIOLATED'],
  ])('fail and change nothing: %j, %s', async (patch, code) => {
    const { service } = await serve();
    await expect(service.update('orders', [1], patch, context)).rejects.toMatchObject({ code });
    expect(await service.get('orders', [1], ['reference', 'customer_id'], context)).toEqual({
      id: 1,
      reference: 'A-1',
      customer_id: 1,
    });
  });

  it('take bytes as a data URI', async () => {
    const { service } = await serve();
    const updated = await service.update('orders', [2], { picture: 'data:text/plain;base64,aGk=' }, context);
    expect(updated).toMatchObject({ picture: 'data:application/octet-stream;base64,aGk=' });
  });

  it('delete what a condition says, through relations too', async () => {
    const { service } = await serve();
    expect(await service.delete('orders', { field: 'customer:name', operator: 'Equal', value: 'Bob' }, context)).toBe(
      1,
    );
    expect(await service.delete('orders', { aggregator: 'Or', conditions: [] }, context)).toBe(0);
    expect(await service.count({ collection: 'orders' }, context)).toBe(3);
  });

  it('are refused on a table without a key', async () => {
    const { service } = await serve();
    await expect(service.create('log', { message: 'x' }, context)).rejects.toMatchObject({
      code: 'REQUEST_UNPROCESSABLE',
    });
  });
});

it('stops when the client has gone away', async () => {
  const { service } = await serve();
  const gone = { ...context, signal: AbortSignal.abort() };
  await expect(service.list({ collection: 'orders' }, gone)).rejects.toMatchObject({ code: 'INTERRUPTED' });
});
