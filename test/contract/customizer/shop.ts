import { onTestFinished } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import type { CompiledModel } from '#runtime/model/compiled-model';
import type { Authoriser } from '#runtime/permissions/authoriser';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { createRecordService } from '#runtime/records/create-record-service';
import type { RecordService } from '#runtime/records/request/record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';
import type { OpenTables } from '../data-source/opened.ts';
import type { NeutralTable } from '../data-source/tables.ts';

const customers: NeutralTable = {
  name: 'customers',
  columns: [
    { name: 'id', type: 'integer', isAuto: true },
    { name: 'name', type: 'text' },
    { name: 'city', type: 'text' },
    { name: 'email', type: 'text' },
    { name: 'vip', type: 'boolean' },
  ],
  primaryKey: ['id'],
  rows: [
    { id: 1, name: 'Ada', city: 'Paris', email: 'ada@x.test', vip: true },
    { id: 2, name: 'Bob', city: null, email: 'bob@x.test', vip: false },
    { id: 3, name: 'Cléo', city: 'Lyon', email: null, vip: false },
  ],
};

const orders: NeutralTable = {
  name: 'orders',
  columns: [
    { name: 'id', type: 'integer', isAuto: true },
    { name: 'reference', type: 'text', isRequired: true },
    { name: 'status', type: 'text' },
    { name: 'total', type: { decimal: [12, 2] } },
    { name: 'placed_at', type: 'instant' },
    { name: 'customer_id', type: 'integer' },
    { name: 'seller_id', type: 'integer' },
  ],
  primaryKey: ['id'],
  foreignKeys: [{ columns: ['customer_id'], table: 'customers', foreignColumns: ['id'] }],
  rows: [
    {
      id: 1,
      reference: 'A-1',
      status: 'paid',
      total: '10.50',
      placed_at: '2024-03-10T10:00:00.000Z',
      customer_id: 1,
      seller_id: 2,
    },
    {
      id: 2,
      reference: 'A-2',
      status: 'open',
      total: '20.00',
      placed_at: '2024-03-11T10:00:00.000Z',
      customer_id: 1,
      seller_id: 1,
    },
    { id: 3, reference: 'B-1', status: 'open', total: null, placed_at: null, customer_id: 2, seller_id: null },
    {
      id: 4,
      reference: 'C-1',
      status: null,
      total: '0.10',
      placed_at: '2024-04-01T00:00:00.000Z',
      customer_id: null,
      seller_id: 3,
    },
  ],
};

/** Kept by another data source than the rest. */
function contacts() {
  return createMemoryDataSource([
    {
      name: 'contacts',
      schema: {
        columns: [
          { name: 'id', type: 'Number', isAutoIncrement: true },
          { name: 'customer_id', type: 'Number' },
          { name: 'phone', type: 'String' },
          { name: 'level', type: 'Number' },
        ],
        primaryKey: ['id'],
      },
      records: [
        { id: 1, customer_id: 1, phone: '+33', level: 2 },
        { id: 2, customer_id: 3, phone: null, level: 1 },
        { id: 3, customer_id: 99, phone: '+49', level: 3 },
      ],
    },
  ]);
}

export const call = callIn('Europe/Paris');

export interface CustomizedShop {
  readonly service: RecordService;
  readonly model: CompiledModel;
  /** What after-hooks that failed were reported with. */
  readonly reports: readonly string[];
  /** One value of each record that fulfils `where`, by `sort`, else by id. */
  values(collection: string, field: string, where?: ConditionTree, sort?: string): Promise<unknown[]>;
}

/**
 * The shop on a database of its own, and contacts of its customers in memory, customized.
 *
 * @param more tables beside those of the shop.
 */
export async function customizedShop(
  open: OpenTables,
  customize: (agent: Agent) => unknown,
  authoriser: Authoriser = everythingAllowed,
  more: readonly NeutralTable[] = [],
): Promise<CustomizedShop> {
  const dataSource = await open([customers, orders, ...more]);
  onTestFinished(() => dataSource.close());
  const collector = createDeclarationCollector();
  await customize(collector.agent);
  const model = compileModel([dataSource, contacts()], await collector.finish());
  const reports: string[] = [];
  const service = createRecordService(model, authoriser, (message) => reports.push(message));
  return {
    service,
    model,
    reports,
    async values(collection, field, where, sort = 'id') {
      const clauses = [{ field: sort.replace(/^-/, ''), ascending: !sort.startsWith('-') }];
      const records = await service.list({ collection, projection: [field], where, sort: clauses }, call);
      return records.map((record) =>
        field.split(':').reduce<unknown>((holder, step) => (holder as Record<string, unknown> | null)?.[step], record),
      );
    },
  };
}

/** A condition, in short. */
export function where(field: string, operator: string, value?: unknown): ConditionTree {
  return { field, operator, value } as ConditionTree;
}
