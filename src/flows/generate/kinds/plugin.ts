import { testModule, text, type WriteCode } from '../generated-code.ts';
import { variableName } from '../generated-names.ts';

/** Customizations to use again and again. */
export const writePlugin: WriteCode = ({ names, collection, testCommand }) => ({
  module: {
    exported: variableName(names, 'Plugin'),
    isPlugin: true,
    text: `import type { Plugin } from '@vendor/cloud';

export interface ${names.pascal}Options {
  /** Collections that it leaves alone. */
  readonly except?: readonly string[];
}

/** The plugin "${names.title}": tells in the log what is created in every collection. */
export const ${variableName(names, 'Plugin')}: Plugin<${names.pascal}Options> = (agent, _collection, options) => {
  for (const { name } of agent.collections) {
    if (options?.except?.includes(name)) continue;
    agent.customizeCollection(name, (customized) =>
      customized.addHook('After', 'Create', async ({ caller, records }) => {
        console.log(\`\${caller.email} created \${records.length} in \${name}\`);
      }),
    );
  }
};
`,
  },
  test: testModule(
    { testCommand },
    `${collection.name} are served with the plugin ${names.title}`,
    `
const { status } = await ask(${text(`/${encodeURIComponent(collection.name)}?timezone=UTC&page[size]=1`)});
assert.equal(status, 200);`,
  ),
});
