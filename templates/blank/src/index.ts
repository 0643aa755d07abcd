import type { Agent } from '@vendor/cloud';
import type { Schema } from '../typings.js';

/**
 * Everything your back end does beyond what the database says by itself. Save this file and the running agent follows.
 *
 * @example
 * agent.customizeCollection('orders', (orders) =>
 *   orders
 *     .addSegment('Open', { field: 'status', operator: 'Equal', value: 'open' })
 *     .addField('label', {
 *       columnType: 'String',
 *       dependencies: ['reference'],
 *       getValues: (records) => records.map(({ reference }) => `Order ${reference}`),
 *     }),
 * );
 */
export default function customize(_agent: Agent<Schema>): void {
  // Begin with agent.customizeCollection(…): your editor knows the names of your collections and fields.
}
