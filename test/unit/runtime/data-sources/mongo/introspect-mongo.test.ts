import { Decimal128, ObjectId, UUID } from 'mongodb';
import { describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { type IntrospectionOptions, introspectMongo } from '#runtime/data-sources/mongo/introspect/introspect-mongo';
import { createMongoSourceOn } from '#runtime/data-sources/mongo/mongo-data-source';
import type { FieldSchema } from '#runtime/query/collection-schema';
import type { Operator } from '#runtime/query/operators';
import { createMingoDatabase, type MingoCollection } from '../../../../helpers/mingo/mingo-database.ts';

const [ada, bob] = [new ObjectId('000000000000000000000001'), new ObjectId('000000000000000000000002')];
const [red, blue] = [new ObjectId('00000000000000000000000a'), new ObjectId('00000000000000000000000b')];
const [first, second] = [new ObjectId('0000000000000000000000c1'), new ObjectId('0000000000000000000000c2')];

const shop: Record<string, MingoCollection> = {
  customers: {
    documents: [
      { _id: ada, name: 'Ada', address: { city: 'Paris', geo: { lat: 48.8, lon: 2.3 } }, since: new Date(0) },
      { _id: bob, name: 'Bob', address: { city: 'Rome', geo: { lat: 41, lon: 12 } }, note: 'kind' },
    ],
    uniqueKeys: [['name'], ['missing']],
  },
  tags: {
    documents: [
      { _id: red, label: 'red' },
      { _id: blue, label: 'blue' },
    ],
  },
  orders: {
    documents: [
      {
        _id: 1,
        customer: ada,
        state: 'open',
        total: Decimal128.fromString('12.50'),
        serial: 9007199254740993n,
        ratio: 0.5,
        token: new UUID('abcdefab-cdef-4abc-8def-abcdefabcdef'),
        loose: 1,
        nothing: null,
        words: ['a', 'b'],
        tagIds: [red, blue],
        items: [
          { _id: first, sku: 'pen', size: { width: 1 } },
          { _id: second, sku: 'ink', size: { width: 2 } },
        ],
        notes: [{ text: 'x' }],
      },
      {
        _id: 2,
        customer: bob,
        state: 'paid',
        total: Decimal128.fromString('1'),
        serial: 1n,
        ratio: 2,
        token: new UUID('00000000-0000-4000-8000-000000000000'),
        loose: 'one',
        nothing: null,
        words: [],
        tagIds: [],
        items: [],
        notes: [],
        'dotted.name': 1,
      },
    ],
    jsonSchema: { required: ['state', 'loose'], properties: { state: { enum: ['open', 'paid'] } } },
  },
  empty: { documents: [] },
};

async function open(options: IntrospectionOptions = {}, collections = shop): Promise<DataSource> {
  const database = createMingoDatabase(collections);
  return createMongoSourceOn(database, await introspectMongo(database, options));
}

function fieldsOf(source: DataSource, collection: string): ReadonlyMap<string, FieldSchema> {
  return source.collections.find(({ name }) => name === collection)?.fields ?? new Map();
}

function typesOf(source: DataSource, collection: string): Record<string, unknown> {
  const columns = [...fieldsOf(source, collection).values()].filter((field) => field.kind === 'column');
  return Object.fromEntries(columns.map(({ name, type, isNullable }) => [name, isNullable ? [type, 'null'] : type]));
}

describe('introspection of documents', () => {
  it('gives columns the types that samples show, and nullability where a value is missing', async () => {
    const source = await open();
    expect(typesOf(source, 'customers')).toEqual({
      _id: 'String',
      name: 'String',
      'address@@@city': 'String',
      'address@@@geo@@@lat': 'Number',
      'address@@@geo@@@lon': 'Number',
      since: ['Date', 'null'],
      note: ['String', 'null'],
    });
    expect(typesOf(source, 'orders')).toEqual({
      _id: 'Number',
      customer: 'String',
      state: 'Enum',
      total: 'Number',
      serial: 'Number',
      ratio: 'Number',
      token: 'Uuid',
      loose: 'Json',
      nothing: ['Json', 'null'],
      words: ['String'],
      tagIds: ['String'],
      notes: 'Json',
    });
    expect(fieldsOf(source, 'orders').get('serial')).toMatchObject({ isExact: true, scale: 0 });
    expect(fieldsOf(source, 'orders').get('ratio')).toMatchObject({ isExact: false });
  });

  it('finds references by the keys that their values are, and makes relations both ways', async () => {
    const source = await open();
    const relations = [...fieldsOf(source, 'orders').values()].filter((field) => field.kind !== 'column');
    expect(relations.map(({ name, kind, foreignCollection }) => [name, kind, foreignCollection])).toEqual([
      ['customer_through_customer', 'ManyToOne', 'customers'],
      ['orders_tagIds', 'OneToMany', 'orders_tagIds'],
      ['orders_items', 'OneToMany', 'orders_items'],
      ['orders_notes', 'OneToMany', 'orders_notes'],
    ]);
    expect(fieldsOf(source, 'orders_tagIds').get('tag')).toMatchObject({
      kind: 'ManyToOne',
      foreignCollection: 'tags',
    });
  });

  it('shows arrays of objects and of references as collections', async () => {
    const source = await open();
    expect(typesOf(source, 'orders_items')).toEqual({
      _id: 'String',
      parentId: 'Number',
      sku: 'String',
      'size@@@width': 'Number',
    });
    const isReadOnly = (name: string) => source.collections.find((collection) => collection.name === name)?.isReadOnly;
    expect([isReadOnly('orders_items'), isReadOnly('orders_notes'), isReadOnly('orders_tagIds')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('tells what is left out', async () => {
    expect((await open()).warnings).toEqual([
      'The field "dotted.name" of "orders" is left out: its name is empty or "__proto__", or has a dot, a colon or a $ sign.',
      'Collections without any document and without a schema are left out: empty.',
    ]);
  });

  it('leaves out a field that would change every object', async () => {
    const named = JSON.parse('{"_id":1,"kept":true,"__proto__":{"polluted":"yes"}}');
    const source = await open({}, { traps: { documents: [named] } });
    expect(Object.keys(typesOf(source, 'traps'))).toEqual(['_id', 'kept']);
    await source.create('traps', [{ _id: 2, kept: false }], { timezone: 'UTC' });
    expect({}).not.toHaveProperty('polluted');
  });

  it('lets fields be null whose object is sometimes missing', async () => {
    const source = await open({}, { people: { documents: [{ _id: 1, address: { city: 'Paris' } }, { _id: 2 }] } });
    expect(typesOf(source, 'people')).toEqual({ _id: 'Number', 'address@@@city': ['String', 'null'] });
  });

  it('takes the parts of a compound key for columns, and leaves arrays where a key is not a text', async () => {
    const documents = [{ _id: { order: 1, sku: 'x' }, parts: [{ _id: 1, name: 'a' }] }];
    const source = await open({}, { lines: { documents } });
    expect(source.collections.map(({ name, primaryKey }) => [name, primaryKey])).toEqual([
      ['lines', ['_id@@@order', '_id@@@sku']],
    ]);
    expect(typesOf(source, 'lines')).toEqual({ '_id@@@order': 'Number', '_id@@@sku': 'String', parts: 'Json' });
    const where = { field: '_id@@@sku', operator: 'Equal', value: 'x' } as const;
    expect(await source.update('lines', where, { parts: [] }, { timezone: 'UTC' })).toBe(1);
  });

  it('leaves documents as they are with the mode none', async () => {
    const source = await open({ flattenMode: 'none' });
    expect(source.collections.map(({ name }) => name)).toEqual(['customers', 'orders', 'tags']);
    expect(typesOf(source, 'customers')).toMatchObject({ address: 'Json' });
    expect(typesOf(source, 'orders')).toMatchObject({ items: 'Json', tagIds: ['String'] });
  });

  it('takes apart what the mode manual names, as deep as it says', async () => {
    const source = await open({
      flattenMode: 'manual',
      flattenOptions: {
        customers: { asFields: [{ field: 'address', level: 1 }] },
        orders: { asModels: ['items'] },
      },
    });
    expect(Object.keys(typesOf(source, 'customers'))).toEqual([
      '_id',
      'name',
      'address@@@city',
      'address@@@geo',
      'since',
      'note',
    ]);
    expect(source.collections.map(({ name }) => name)).toEqual(['customers', 'orders', 'orders_items', 'tags']);
  });

  it.each([
    [{ flattenOptions: { nobody: {} } }, 'nobody'],
    [{ flattenOptions: { orders: { asModels: ['state'] } } }, 'state'],
    [{ flattenOptions: { orders: { asFields: ['items'] } } }, 'items'],
  ])('refuses %j, and names what is not there', async (options, name) => {
    await expect(open({ flattenMode: 'manual', ...options })).rejects.toMatchObject({
      code: 'AGENT_OPTION_INVALID',
      message: expect.stringContaining(`"${name}"`),
    });
  });
});

describe('records of sampled documents', () => {
  const utc = { timezone: 'UTC' };

  it('are read through nested fields, arrays and references', async () => {
    const source = await open();
    const list = {
      collection: 'orders_items',
      projection: ['_id', 'sku', 'size@@@width', 'parent:customer_through_customer:address@@@city'],
    };
    const where = { field: 'size@@@width', operator: 'GreaterThan', value: 1 } as const;
    expect(await source.list({ ...list, where }, utc)).toEqual([
      {
        _id: `1.items.${second.toHexString()}`,
        sku: 'ink',
        'size@@@width': 2,
        parent: { customer_through_customer: { 'address@@@city': 'Paris' } },
      },
    ]);
    const withPens = { field: 'orders_items:sku', operator: 'Equal', value: 'pen' } as const;
    expect(
      await source.list({ collection: 'orders', projection: ['_id', 'total', 'serial'], where: withPens }, utc),
    ).toEqual([{ _id: 1, total: '12.50', serial: '9007199254740993' }]);
    const tagged = { field: 'orders_tagIds:tag:label', operator: 'Equal', value: 'blue' } as const;
    expect(await source.count('orders', tagged, utc)).toBe(1);
  });

  it.each([
    ['_id', `1.items.${second.toHexString()}`],
    ['parentId', 1],
  ])('are found by the %s of the elements they hold', async (field, key) => {
    const source = await open();
    const found = async (collection: string, path: string, operator: Operator, value: unknown) =>
      await source.count(collection, { field: path, operator, value }, utc);
    expect([
      await found('orders', `orders_items:${field}`, 'Equal', key),
      await found('orders', `orders_items:${field}`, 'In', [key]),
      await found('orders_items', `parent:orders_items:${field}`, 'Equal', key),
    ]).toEqual([1, 1, 2]);
  });

  it('are found by parts of their ids', async () => {
    const source = await open();
    const found = (operator: 'EndsWith' | 'Equal' | 'IContains', value: string) =>
      source.count('customers', { field: '_id', operator, value }, utc);
    expect([
      await found('Equal', ada.toHexString()),
      await found('EndsWith', '02'),
      await found('IContains', '0'),
    ]).toEqual([1, 1, 2]);
  });

  it('are found by what their lists hold', async () => {
    const source = await open();
    const ids = async (operator: Operator, field: string, value?: unknown) => {
      const records = await source.list(
        { collection: 'orders', projection: ['_id'], where: { field, operator, value } },
        utc,
      );
      return records.map(({ _id }) => _id);
    };
    expect(await ids('IncludesAll', 'words', ['a', 'b'])).toEqual([1]);
    expect(await ids('IncludesAll', 'words', [])).toEqual([1, 2]);
    expect(await ids('IncludesNone', 'words', ['b'])).toEqual([2]);
    expect(await ids('IncludesAll', 'tagIds', [red.toHexString()])).toEqual([1]);
    await source.update('orders', { field: '_id', operator: 'Equal', value: 2 }, { words: [null], loose: [null] }, utc);
    expect([await ids('Missing', 'words'), await ids('Missing', 'loose')]).toEqual([[], []]);
    expect([await ids('Present', 'words'), await ids('Present', 'nothing')]).toEqual([[1, 2], []]);
  });

  it('change one nested field, also where the object on the way is missing', async () => {
    const source = await open();
    const [created] = await source.create('customers', [{ name: 'Cy' }], utc);
    const where = { field: '_id', operator: 'Equal', value: created?.['_id'] } as const;
    expect(await source.update('customers', where, { 'address@@@geo@@@lat': 1 }, utc)).toBe(1);
    const projection = ['name', 'address@@@city', 'address@@@geo@@@lat'];
    expect(await source.list({ collection: 'customers', projection, where }, utc)).toEqual([
      { name: 'Cy', 'address@@@city': null, 'address@@@geo@@@lat': 1 },
    ]);
  });
});

describe('elements of arrays', () => {
  const utc = { timezone: 'UTC' };
  const items = { collection: 'orders_items', projection: ['_id', 'sku'] };
  const idOf = (element: ObjectId) => `1.items.${element.toHexString()}`;
  const where = { field: '_id', operator: 'Equal', value: idOf(second) } as const;

  it('keep their ids when others before them go', async () => {
    const source = await open();
    expect(await source.delete('orders_items', { field: 'sku', operator: 'Equal', value: 'pen' }, utc)).toBe(1);
    expect(await source.list(items, utc)).toEqual([{ _id: idOf(second), sku: 'ink' }]);
  });

  it('change only, and tell their keys', async () => {
    const source = await open();
    const told: unknown[] = [];
    const count = await source.update('orders_items', where, { sku: 'pad', 'size@@@width': 9 }, utc, (keys) =>
      told.push(...keys),
    );
    expect([count, told]).toEqual([1, [{ _id: idOf(second) }]]);
    const projection = ['sku', 'size@@@width'];
    expect(await source.list({ ...items, projection }, utc)).toEqual([
      { sku: 'pen', 'size@@@width': 1 },
      { sku: 'pad', 'size@@@width': 9 },
    ]);
  });

  it('are added to the document they belong to', async () => {
    const source = await open();
    const [created] = await source.create('orders_items', [{ parentId: 2, sku: 'nib' }], utc);
    expect(created).toMatchObject({ parentId: 2, sku: 'nib', 'size@@@width': null });
    const ofOrder = { field: 'parentId', operator: 'Equal', value: 2 } as const;
    expect(await source.list({ ...items, where: ofOrder }, utc)).toEqual([{ _id: created?.['_id'], sku: 'nib' }]);
  });

  it('are refused without a document, and stay in theirs', async () => {
    const source = await open();
    await expect(source.create('orders_items', [{ parentId: 99, sku: 'x' }], utc)).rejects.toMatchObject({
      code: 'DATABASE_CONSTRAINT_VIOLATED',
      details: { field: 'parentId' },
    });
    await expect(source.update('orders_items', where, { parentId: 2 }, utc)).rejects.toMatchObject({
      code: 'DATABASE_VALUE_REFUSED',
      details: { field: 'parentId' },
    });
  });
});
