import type { AgentChart } from './chart-definition.ts';
import type { CollectionCustomizer } from './collection-customizer.ts';
import type { AnySchema, CollectionName, SchemaShape } from './schema-types.ts';

/**
 * What a project's default export is called with. Give it the generated `Schema`, and misspelt collections and fields
 * are compile errors.
 *
 * @example
 * import type { Agent } from '@vendor/cloud';
 * import type { Schema } from '../typings.js';
 *
 * export default function customize(agent: Agent<Schema>): void {
 *   agent.customizeCollection('orders', (orders) => orders.addSegment('open', { field: 'status', operator: 'Equal', value: 'open' }));
 * }
 */
export interface Agent<S extends SchemaShape<S> = AnySchema> {
  /** Customize one collection. What an async callback rejects with fails the start of the agent. */
  customizeCollection<C extends CollectionName<S>>(
    name: C,
    customize: (collection: CollectionCustomizer<S, C>) => unknown,
  ): this;
  /**
   * Add a chart about everything the agent serves.
   *
   * @example
   * agent.addChart('Orders', async (context, result) => {
   *   const [row] = await context.dataSource.getCollection('orders').aggregate({}, { operation: 'Count' });
   *   return result.value(Number(row?.value));
   * });
   */
  addChart(name: string, definition: AgentChart): this;
}
