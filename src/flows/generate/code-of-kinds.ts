import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { collectionFunction, collectionModule, testModule, text, type WriteCode } from './generated-code.ts';
import { variableName } from './generated-names.ts';

/** An action on one record, with a form. */
export const writeAction: WriteCode = (question) => {
  const { names, collection } = question;
  const declaration = `addAction(${text(names.title)}, {
  scope: 'Single',
  form: [{ type: 'String', label: 'Note' }],
  execute: async (context, resultBuilder) => {
    const id = await context.getRecordId();
    const note = context.formValues['Note'];
    return resultBuilder.success(\`${names.title} is done for \${id}\${note ? \`: \${note}\` : ''}.\`);
  },
})`;
  return {
    module: {
      exported: collectionFunction(question),
      text: collectionModule(question, `The action "${names.title}": a button on a record.`, declaration),
    },
    test: testModule(
      question,
      `the action ${names.title} runs on a record`,
      `
const { body: list } = await ask(${text(`/${encodeURIComponent(collection.name)}?timezone=UTC&page[size]=1`)});
const ids = (list as { data: { id: string }[] }).data.map(({ id }) => id);
if (ids.length === 0) return;
const { body: facts } = await ask('/_internal/capabilities', { collectionNames: [${text(collection.name)}] });
const [collection] = (facts as { collections: { actions: { name: string; path: string }[] }[] }).collections;
const action = collection?.actions.find(({ name }) => name === ${text(names.title)});
assert.ok(action);
const { status, body } = await ask(\`\${action.path}?timezone=UTC\`, {
  data: { attributes: { ids, collection_name: ${text(collection.name)}, values: { Note: 'a test' } } },
});
assert.equal(status, 200);
assert.match((body as { success: string }).success, /a test/);`,
    ),
  };
};

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

/** A computed field. */
export const writeField: WriteCode = (question) => {
  const { names, collection } = question;
  const { column } = collection;
  const declaration = `addField(${text(names.camel)}, {
  columnType: 'String',
  dependencies: [${text(column)}],
  // It gets the records of a whole page at once, and gives a value for each.
  getValues: (records) => records.map((record) => \`${names.title} \${record[${text(column)}]}\`),
})`;
  return {
    module: {
      exported: collectionFunction(question),
      text: collectionModule(question, `The field "${names.camel}", computed from others.`, declaration),
    },
    test: testModule(
      question,
      `${collection.name} have the field ${names.camel}`,
      `
const fields = ${text(`fields[${collection.name}]=${names.camel}`)};
const { status, body } = await ask(\`/${encodeURIComponent(collection.name)}?timezone=UTC&page[size]=1&\${fields}\`);
assert.equal(status, 200);
for (const { attributes } of (body as { data: { attributes: Record<string, unknown> }[] }).data) {
  assert.match(String(attributes[${text(names.camel)}]), /${names.title.replaceAll(/[^\w ]/g, '.')} /);
}`,
    ),
  };
};

const hookName = /^(before|after)-(list|create|update|delete|aggregate)$/;

/** Code that runs before or after what somebody asks for; its name says when. */
export const writeHook: WriteCode = (question) => {
  const { names, collection } = question;
  const [, position, type] = hookName.exec(names.file) ?? [];
  if (position === undefined || type === undefined) throw unknownHook(names.title);
  const declaration = `addHook(${text(capital(position))}, ${text(capital(type))}, async (context) => {
  console.log(\`\${context.caller.email}: ${position} ${type} of ${inTemplate(collection.name)}\`);
})`;
  return {
    module: {
      exported: collectionFunction(question),
      text: collectionModule(
        question,
        `Runs ${position} ${type}. An error that it throws refuses the request.`,
        declaration,
      ),
    },
    test: testModule(
      question,
      `${collection.name} are served with the hook ${position} ${type}`,
      `
const { status } = await ask(${text(`/${encodeURIComponent(collection.name)}?timezone=UTC&page[size]=1`)});
assert.equal(status, 200);`,
    ),
  };
};

/** A text as it stands between backticks. */
function inTemplate(value: string): string {
  return value.replaceAll(/[\\`]|\$\{/g, '\\$&');
}

function capital(word: string): string {
  return `${word[0]?.toUpperCase()}${word.slice(1)}`;
}

function unknownHook(title: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `"${title}" is not a place for a hook.`,
    'Name before or after, and list, create, update, delete or aggregate: before-create',
  );
}

/** Customizations to use again and again. */
export const writePlugin: WriteCode = ({ names, collection, testCommand }) => ({
  module: {
    exported: variableName(names, 'Plugin'),
    isPlugin: true,
    text: `import type { Plugin } from '@vendor/cloud';

export interface ${names.pascal}Options {
  /** Collections that it does not touch. */
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

/** A filter with a name. */
export const writeSegment: WriteCode = (question) => {
  const { names, collection } = question;
  const declaration = `addSegment(${text(names.title)}, { field: ${text(collection.column)}, operator: 'Present' })`;
  return {
    module: {
      exported: collectionFunction(question),
      text: collectionModule(question, `The segment "${names.title}": a filter with a name.`, declaration),
    },
    test: testModule(
      question,
      `the segment ${names.title} is a part of ${collection.name}`,
      `
const count = async (segment: string) => {
  const { status, body } = await ask(\`/${encodeURIComponent(collection.name)}/count?timezone=UTC\${segment}\`);
  assert.equal(status, 200);
  return (body as { count: number }).count;
};
assert.ok((await count(\`&segment=\${encodeURIComponent(${text(names.title)})}\`)) <= (await count('')));`,
    ),
  };
};

/** Only a test. */
export const writeTest: WriteCode = ({ names, collection, testCommand }) => ({
  test: testModule(
    { testCommand },
    names.title,
    `
const { status, body } = await ask(${text(`/${encodeURIComponent(collection.name)}/count?timezone=UTC`)});
assert.equal(status, 200);
assert.ok((body as { count: number }).count >= 0);`,
  ),
});
