import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

it('finds sort replacements that come back to themselves in a collection whose name holds a dot', async () => {
  const source = await temporaryDataSource('create table "sales.orders" (id integer primary key, a text, b text);');
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('sales.orders', (orders) =>
    orders
      .replaceFieldSorting('a', [{ field: 'b', ascending: true }])
      .replaceFieldSorting('b', [{ field: 'a', ascending: true }]),
  );
  const declarations = await collector.finish();
  expect(() => compileModel([source], declarations)).toThrow('sales.orders.a → sales.orders.b → sales.orders.a');
});
