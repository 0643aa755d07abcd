import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

const table = `
  create table details (id integer primary key, settings json, receipt blob, price decimal(8, 2), seen_at datetime);
  create table orders (
    id integer primary key, detail_id integer references details, settings json,
    twice decimal(8, 2) generated always as (detail_id * 2) stored
  );
  insert into details values (1, '{"theme":"dark","sizes":[1,2]}', x'dead', 1.5, '2024-03-10T10:00:00.000Z');
  insert into orders (id, detail_id, settings) values (1, 1, '{"theme":"dark"}');
`;

async function shop() {
  const source = await temporaryDataSource(table);
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('orders', (orders) => {
    for (const field of ['settings', 'receipt', 'price', 'seen_at']) {
      orders.importField(`detail_${field}`, { path: `detail:${field}` });
    }
  });
  return createRecordService(compileModel([source], await collector.finish()), everythingAllowed);
}

const context = callIn('UTC');

it.each([
  ['detail_settings', { theme: 'light' }],
  ['detail_settings', ['[object Object]']],
  ['detail_settings', '[object Object]'],
  ['detail_receipt', 'data:application/octet-stream;base64,vu8='],
  ['detail_price', '1.51'],
  ['detail_seen_at', '2024-03-10T10:00:00.001Z'],
] as const)('the imported field %s takes another value of its kind: %j', async (field, value) => {
  const service = await shop();
  const before = await service.get('orders', [1], [field], context);
  const written = await service.update('orders', [1], { [field]: value }, context);
  expect(written?.[field]).not.toEqual(before?.[field]);
});

it.each([
  ['detail_settings', { sizes: [1, 2], theme: 'dark' }],
  ['detail_receipt', 'data:text/plain;base64,3q0='],
  ['detail_price', 1.5],
  ['detail_seen_at', '2024-03-10T11:00:00+01:00'],
] as const)('the imported field %s writes nothing when it keeps its value: %j', async (field, value) => {
  const service = await shop();
  // A write of the field would make a related record with this key.
  await service.update('orders', [1], { [field]: value, detail_id: null }, context);
  const details = await service.list({ collection: 'details', projection: ['id'] }, context);
  expect(details).toEqual([{ id: 1 }]);
});

it.each([
  ['another document', { settings: { theme: 'light' } }, ['settings']],
  ['the same document', { settings: { theme: 'dark' } }, []],
  ['a generated column in another form', { twice: 2 }, []],
] as const)('the report of a write names the fields that it changes: %s', async (_what, patch, expected) => {
  const service = await shop();
  const named: string[] = [];
  const notes = {
    fields: (fields: readonly string[]) => void named.push(...fields),
    records: () => undefined,
    values: { kept: () => undefined, notKept: () => undefined },
  };
  await service.update('orders', [1], patch, { ...context, notes });
  expect(named).toEqual(expected);
});
