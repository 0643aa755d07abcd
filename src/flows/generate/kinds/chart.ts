import { testModule, text, type WriteCode } from '../generated-code.ts';

/** A chart about everything that the agent serves. */
export const writeChart: WriteCode = ({ names, collection, typings, testCommand }) => ({
  module: {
    exported: `add${names.pascal}Chart`,
    text: `import type { Agent } from '@vendor/cloud';
import type { Schema } from '${typings}';

/** The chart "${names.title}". */
export function add${names.pascal}Chart(agent: Agent<Schema>): void {
  agent.addChart(${text(names.title)}, async (context, resultBuilder) => {
    const [row] = await context.dataSource.getCollection(${text(collection.name)}).aggregate({}, { operation: 'Count' });
    return resultBuilder.value(Number(row?.value ?? 0));
  });
}
`,
  },
  test: testModule(
    { testCommand },
    `the chart ${names.title} has a value`,
    `
const { status, body } = await ask(\`/_charts/\${encodeURIComponent(${text(names.title)})}?timezone=UTC\`, {});
assert.equal(status, 200);
const { value } = (body as { data: { attributes: { value: { countCurrent: number } } } }).data.attributes;
assert.equal(typeof value.countCurrent, 'number');`,
  ),
});
