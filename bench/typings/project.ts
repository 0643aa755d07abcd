/** How many collections the project customizes. */
const customized = 100;

/** Their tables, by number. */
export function customizedTables(tables: number): readonly number[] {
  const step = Math.max(1, Math.floor(tables / customized));
  return Array.from({ length: Math.min(customized, tables) }, (_, index) => index * step);
}

/** The customization of one table: computed and imported fields, segments, a hook and an action, over up to three relations. */
function customizationOf(table: number): string {
  return `  agent.customizeCollection('t${table}', (collection) =>
    collection
      .addField('label', {
        columnType: 'String',
        dependencies: ['name', 'first:name', 'first:second:code', 'second:first:first:amount'],
        getValues: (records) =>
          records.map((r) => \`\${r.name} \${r.first?.name} \${r.first?.second?.code} \${r.second?.first?.first?.amount}\`),
      })
      .emulateFieldFiltering('label')
      .importField('firstName', { path: 'first:name' })
      .importField('secondState', { path: 'second:first:state', readonly: true })
      .addFieldValidation('name', 'LongerThan', 2)
      .replaceFieldSorting('name', [
        { field: 'first:code', ascending: true },
        { field: 'id', ascending: false },
      ])
      .addSegment('Open', { field: 'state', operator: 'Equal', value: 'open' })
      .addSegment('Recent', {
        aggregator: 'And',
        conditions: [
          { field: 'created_at', operator: 'PreviousXDays', value: 7 },
          { field: 'first:second:state', operator: 'In', value: ['open', 'paid'] },
          { field: 'second:first:second:amount', operator: 'GreaterThan', value: 10 },
        ],
      })
      .addSegment('Like the first', async (context) => {
        const rows = await context.collection.list(
          { conditionTree: { field: 'first:is_active', operator: 'Equal', value: true } },
          ['id', 'first:id', 'first:second:name'],
        );
        return { field: 'id', operator: 'In', value: rows.map((row) => row.first?.id ?? row.id) };
      })
      .addHook('Before', 'Create', (context) => {
        for (const record of context.data) record.name = record.name?.trim();
      })
      .addAction('Read', {
        scope: 'Bulk',
        execute: async (context, result) => {
          const records = await context.getRecords(['name', 'first:amount', 'second:first:state']);
          return result.success(records.map((record) => record.second?.first?.state).join());
        },
      }),
  );
`;
}

/**
 * The code of the project. Tables are those of the introspection bench: each refers to the two before it.
 *
 * @param more What the code does beside.
 */
export function projectSource(tables: number, more = ''): string {
  const each = customizedTables(tables).map(customizationOf);
  return `import type { Agent } from '@vendor/cloud';
import type { Schema } from '../typings.js';

export default function customize(agent: Agent<Schema>): void {
${each.join('\n')}${more}}
`;
}
