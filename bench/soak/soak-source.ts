/** Customization code of the soak: a computed field that tells the revision, and an action that writes. */
export function soakSource(revision: string): string {
  return `import type { Agent } from '@vendor/cloud';

export default function customize(agent: Agent) {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addField('revision', {
        columnType: 'String',
        dependencies: ['ref'],
        getValues: (records) => records.map(({ ref }) => \`\${ref} ${revision}\`),
      })
      .addAction('Touch', {
        scope: 'Single',
        execute: async (context, result) => {
          await context.collection.update(context.filter, { status: 'touched' });
          return result.success('Done');
        },
      }),
  );
}
`;
}
