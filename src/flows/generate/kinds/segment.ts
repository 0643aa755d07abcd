import { collectionFunction, collectionModule, testModule, text, type WriteCode } from '../generated-code.ts';

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
