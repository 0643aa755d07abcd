import { testModule, text, type WriteCode } from '../generated-code.ts';

/** A test alone. */
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
