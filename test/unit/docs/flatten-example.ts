import type { Agent } from '../../../src/exports/index.ts';
import { flattenJsonColumn, flattenRelation } from '../../../src/exports/plugin-flattener.ts';

export function flatten(agent: Agent): void {
  agent.customizeCollection('orders', (orders) =>
    orders
      .use(flattenJsonColumn, { columnName: 'payload', columnType: { address: { city: 'String' }, tags: ['String'] } })
      .use(flattenRelation, { relationName: 'customer', include: ['name', 'credit'] }),
  );
}
