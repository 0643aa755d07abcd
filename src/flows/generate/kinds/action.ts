import { collectionFunction, collectionModule, testModule, text, type WriteCode } from '../generated-code.ts';

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
