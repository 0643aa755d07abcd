import { Double, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { decodeValue, encodeValue } from '#runtime/data-sources/mongo/document-values';
import { introspectMongo } from '#runtime/data-sources/mongo/introspect/introspect-mongo';
import { createMongoSourceOn } from '#runtime/data-sources/mongo/mongo-data-source';
import { createMingoDatabase, type MingoCollection } from '../../../../helpers/mingo/mingo-database.ts';

const context = { timezone: 'UTC' };
const element = new ObjectId('0000000000000000000000c1');

async function open(collections: Record<string, MingoCollection>, database = createMingoDatabase(collections)) {
  return createMongoSourceOn(database, await introspectMongo(database));
}

it('a whole number is sent as a double where the schema asks for one', async () => {
  const jsonSchema = { properties: { price: { bsonType: 'double' } } };
  const source = await open({ goods: { documents: [{ _id: 1, price: 5 }], jsonSchema } });
  const column = source.collections[0]?.fields.get('price');
  if (column?.kind !== 'column') throw new TypeError('There is no column.');
  expect(column.nativeType).toBe('double');
  const sent = encodeValue(column, 7);
  expect(sent).toBeInstanceOf(Double);
  expect(decodeValue(column, sent)).toBe(7);
  const [created] = await source.create('goods', [{ _id: 2, price: 8 }], context);
  expect(created).toMatchObject({ price: 8 });
});

it('an element is added to a document that has null in place of the array', async () => {
  const documents = [
    { _id: 1, items: [{ _id: element, sku: 'pen' }] },
    { _id: 2, items: null },
  ];
  const source = await open({ orders: { documents } });
  for (const parentId of [1, 2]) await source.create('orders_items', [{ parentId, sku: 'ink' }], context);
  const listed = await source.list({ collection: 'orders_items', projection: ['parentId', 'sku'] }, context);
  expect(listed.map(({ parentId, sku }) => [parentId, sku])).toEqual([
    [1, 'pen'],
    [1, 'ink'],
    [2, 'ink'],
  ]);
});

it('the elements of a document whose key has no text are left out, and those of the others shown', async () => {
  const items = [{ _id: element, sku: 'pen' }];
  const database = createMingoDatabase({ orders: { documents: [{ _id: 1, items }] } });
  const source = await open({}, database);
  await database.insert('orders', [{ _id: { odd: true }, items }]);
  const listed = await source.list({ collection: 'orders_items', projection: ['parentId'] }, context);
  expect(listed).toEqual([{ parentId: 1 }]);
});

it('dates that have no text count as none in groups of days', async () => {
  const documents = [new Date('2024-05-01T10:00:00Z'), new Date('+012024-05-01T10:00:00Z')].map((at, _id) => ({
    _id,
    at,
  }));
  const source = await open({ events: { documents } });
  const aggregation = { operation: 'Count', groups: [{ field: 'at', bucket: 'Day' }] } as const;
  const rows = await source.aggregate({ collection: 'events', aggregation }, context);
  expect(rows.map(({ group }) => group['at'])).toEqual([null, '2024-05-01']);
});
