// What is measured: a process of its own that compiles a model of many collections, and says what it took.

import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import { median } from '../statistics.ts';
import { customize } from './customize.ts';

const tables = Number(process.argv[2]);
const runs = Number(process.argv[3]);

const columns = [
  { name: 'id', type: 'Number' },
  { name: 'first_id', type: 'Number' },
  { name: 'second_id', type: 'Number' },
  { name: 'name', type: 'String', isNullable: false },
  { name: 'code', type: 'String' },
  { name: 'state', type: 'Enum', enumValues: ['open', 'paid', 'sent', 'void'] },
  { name: 'amount', type: 'Number', isExact: true },
  { name: 'is_active', type: 'Boolean' },
  { name: 'details', type: 'Json' },
  { name: 'tags', type: ['String'] },
  { name: 'day', type: 'Dateonly' },
  { name: 'created_at', type: 'Date' },
] as const;

/** Each refers to the two before it; the first ones to themselves. */
const dataSource = createMemoryDataSource(
  Array.from({ length: tables }, (_, table) => ({
    name: `t${table}`,
    records: [],
    schema: {
      columns,
      primaryKey: ['id'],
      foreignKeys: [
        { columns: ['first_id'], foreignTable: `t${Math.max(0, table - 1)}`, foreignColumns: ['id'] },
        { columns: ['second_id'], foreignTable: `t${Math.max(0, table - 2)}`, foreignColumns: ['id'] },
      ],
    },
  })),
);

async function compileOnce() {
  const collector = createDeclarationCollector();
  customize(collector.agent, tables);
  return compileModel([dataSource], await collector.finish());
}

function heapMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

const before = heapMb();
const firstStart = performance.now();
const model = await compileOnce();
const firstMs = performance.now() - firstStart;
const modelMb = heapMb() - before;
const times: number[] = [];
for (let run = 0; run < runs; run++) {
  const start = performance.now();
  await compileOnce();
  times.push(performance.now() - start);
}
process.stdout.write(JSON.stringify({ collections: model.collections.size, firstMs, ms: median(times), modelMb }));
