import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../../helpers/call-context.ts';

/** As databases may: what is asked for in no order comes in another one each time. */
function inAnyOrder({ extendedBy: _extendedBy, ...source }: DataSource): DataSource {
  let turn = 1;
  return {
    ...source,
    list: async (query, context) => {
      if (query.sort?.length || !query.page) return source.list(query, context);
      const all = await source.list({ ...query, page: undefined }, context);
      turn *= -1;
      const ordered = turn < 0 ? all : all.toReversed();
      return ordered.slice(query.page.skip, query.page.skip + query.page.limit);
    },
  };
}

it('records without a key are read once each where the agent filters them', async () => {
  const records = Array.from({ length: 2000 }, (_, n) => ({ n }));
  const columns = [{ name: 'n', type: 'Number' }] as const;
  const source = createMemoryDataSource([{ name: 'log', schema: { columns, primaryKey: [] }, records }]);
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('log', (on) =>
    on
      .addField('twice', {
        columnType: 'Number',
        dependencies: ['n'],
        getValues: (rows) => rows.map((row) => Number(row['n']) * 2),
      })
      .emulateFieldOperator('twice', 'GreaterThan'),
  );
  const model = compileModel([inAnyOrder(source)], await collector.finish());
  const service = createRecordService(model, everythingAllowed);
  const where = { field: 'twice', operator: 'GreaterThan', value: -1 } as const;
  const found = await service.list({ collection: 'log', projection: ['n'], where }, callIn('UTC'));
  expect(new Set(found.map(({ n }) => n)).size).toBe(2000);
});
