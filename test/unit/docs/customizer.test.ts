import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { temporaryDataSource } from '../../helpers/temporary-database.ts';
import { agentOperations, code, fields, queries, relations, withoutSearch } from './customizer-example.ts';

const script = `
  create table customers (id integer primary key, name text);
  create table secrets (id integer primary key);
  create table orders (
    id integer primary key, reference text, status text, token text, receipt blob, placed_at datetime,
    customer_id integer references customers, seller_id integer, resale_of integer
  );
  create table watches (order_id integer references orders, customer_id integer references customers,
    primary key (order_id, customer_id));
`;
const read = (file: string) => readFile(path.join(import.meta.dirname, file), 'utf8');
const readPage = () => read('../../../docs/customizer.md');

it('the reference of the customizer has the examples that are compiled here, and no other', async () => {
  const blocks = [...(await readPage()).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block);
  const [, ...functions] = (await read('customizer-example.ts')).split(/\n(?=export )/);
  expect(blocks.map((block) => block?.trim())).toEqual(functions.map((each) => each.replace('export ', '').trim()));
});

it('the reference names every operation, with an example', async () => {
  const collector = createDeclarationCollector();
  const operations = ['customizeCollection', 'removeCollection'];
  collector.agent.customizeCollection('orders', (orders) => void operations.push(...Object.keys(orders)));
  const [page, example] = [await readPage(), await read('customizer-example.ts')];
  expect(operations.length).toBeGreaterThan(30);
  expect(operations.filter((name) => !page.includes(`\`${name}(`))).toEqual([]);
  expect(operations.filter((name) => !example.includes(`.${name}(`))).toEqual([]);
});

it('the examples of the reference compile to a model', async () => {
  const collector = createDeclarationCollector();
  agentOperations(collector.agent);
  collector.agent.customizeCollection('orders', (orders) => {
    for (const customize of [fields, relations, queries, code]) customize(orders);
  });
  collector.agent.customizeCollection('customers', (customers) => withoutSearch(customers));
  const model = compileModel([await temporaryDataSource(script)], await collector.finish());
  const orders = model.collections.get('orders');
  expect([...(orders?.fields.keys() ?? [])]).toEqual(
    expect.arrayContaining(['title', 'buyer', 'placedAt', 'seller', 'resales', 'resale', 'watchers', 'shipments']),
  );
  expect(model.collections.has('secrets')).toBe(false);
  expect(model.collections.get('customers')?.isSearchable).toBe(false);
});
