import { collectionFunction, collectionModule, testModule, text, type WriteCode } from '../generated-code.ts';

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
