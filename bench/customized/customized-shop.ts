import { compileModel } from '../../src/runtime/compile/compile-model.ts';
import type { Agent } from '../../src/runtime/customizer/agent.ts';
import { createDeclarationCollector } from '../../src/runtime/customizer/declaration-collector.ts';
import type { DataSource } from '../../src/runtime/data-sources/interface/data-source.ts';
import { allowEverything } from '../../src/runtime/permissions/authoriser.ts';
import { flattenJsonColumn } from '../../src/runtime/plugins/flattener/flatten-fields.ts';
import type { AggregateRow, Aggregation } from '../../src/runtime/query/aggregation.ts';
import { concat, datePart, divide, field, multiply } from '../../src/runtime/query/build-expression.ts';
import type { ConditionTree } from '../../src/runtime/query/condition-tree.ts';
import type { RecordData } from '../../src/runtime/query/record-query.ts';
import type { CallContext } from '../../src/runtime/records/calls/call-context.ts';
import { createRecordService } from '../../src/runtime/records/create-record-service.ts';
import { createRecordReader } from '../../src/runtime/records/request/record-reader.ts';

const call: CallContext = {
  caller: {
    id: 1,
    email: 'ada@example.test',
    firstName: 'Ada',
    lastName: 'L',
    team: 'T',
    role: 'R',
    teams: ['T'],
    roles: ['R'],
    permissionLevel: 'user',
    renderingId: 1,
    tags: {},
    timezone: 'UTC',
    requestId: 'bench',
  },
};

/** The orders of the customized shop, as a surface of the agent asks for them. */
export interface CustomizedShop {
  /** Fifteen orders, the newest first. */
  list(projection: readonly string[], where?: ConditionTree, skip?: number): Promise<RecordData[]>;
  aggregate(aggregation: Aggregation, where?: ConditionTree): Promise<AggregateRow[]>;
}

function customize(agent: Agent): void {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addField('label', {
        columnType: 'String',
        dependencies: ['status', 'total'],
        getValues: (records) => records.map(({ status, total }) => `${status} ${total}`),
      })
      .addField('initial', {
        columnType: 'String',
        dependencies: ['status'],
        getValues: (records) => records.map(({ status }) => String(status).slice(0, 1)),
      })
      .emulateFieldFiltering('label')
      .importField('customerEmail', { path: 'customer:email' })
      .importField('customerCountry', { path: 'customer:country' })
      .addManyToOneRelation('buyer', 'customers', { foreignKey: 'customer_id' })
      .addField('title', { columnType: 'String', expression: concat(field('status'), '/', field('customer:country')) })
      .addField('tripled', { columnType: 'Number', expression: multiply(field('total'), 3) })
      .addField('ratio', { columnType: 'Number', expression: divide(field('id'), 7) })
      .addField('month', { columnType: 'Number', expression: datePart('month', 'placed_at') })
      .use(flattenJsonColumn, {
        columnName: 'payload',
        columnType: { city: 'String', geo: { lat: 'Number' } },
      }),
  );
}

export async function customizedShop(source: DataSource): Promise<CustomizedShop> {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  const model = compileModel([source], await collector.finish());
  const service = createRecordService(model, allowEverything);
  const { engine } = createRecordReader(model, allowEverything, () => undefined);
  const sort = [{ field: 'id', ascending: false }];
  return {
    list: (projection, where, skip = 0) =>
      service.list({ collection: 'orders', projection, where, sort, page: { skip, limit: 15 } }, call),
    aggregate: (aggregation, where) =>
      engine.aggregate(engine.collectionNamed('orders'), where, aggregation, undefined, call),
  };
}
