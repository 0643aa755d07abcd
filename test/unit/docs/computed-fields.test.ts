import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { temporaryDataSource } from '../../helpers/temporary-database.ts';
import { customize } from './customize-example.ts';
import { flatten } from './flatten-example.ts';

const repository = path.resolve(import.meta.dirname, '../../..');
const script = `
  create table customers (id integer primary key, name text, credit decimal(10,2));
  create table orders (
    id integer primary key,
    price decimal(10,2),
    quantity integer,
    placed_at datetime,
    payload json,
    customer_id integer references customers
  );
`;

/** An example as its page has it. */
async function written(file: string): Promise<string> {
  const text = await readFile(path.join(import.meta.dirname, file), 'utf8');
  return text
    .replaceAll('../../../src/exports/index.ts', '@vendor/cloud')
    .replaceAll('../../../src/exports/plugin-flattener.ts', '@vendor/cloud/plugin-flattener')
    .replace('export function', 'export default function');
}

describe('the page about computed fields', () => {
  it('has the examples that are compiled here, and no other', async () => {
    const page = await readFile(path.join(repository, 'docs/computed-fields.md'), 'utf8');
    const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block);
    expect(blocks).toEqual([await written('customize-example.ts'), await written('flatten-example.ts')]);
  });

  it.each([
    ['expressions', customize, ['total', 'share', 'title', 'size', 'hour', 'city', 'shout']],
    [
      'flattened columns',
      flatten,
      ['payload@@@address@@@city', 'payload@@@tags', 'customer@@@name', 'customer@@@credit'],
    ],
  ])('shows %s that are declared without a problem', async (_what, declare, fields) => {
    const collector = createDeclarationCollector();
    declare(collector.agent);
    const model = compileModel([await temporaryDataSource(script)], await collector.finish());
    expect([...(model.collections.get('orders')?.fields.keys() ?? [])]).toEqual(expect.arrayContaining(fields));
  });
});
