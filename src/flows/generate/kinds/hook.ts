import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { collectionFunction, collectionModule, testModule, text, type WriteCode } from '../generated-code.ts';

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
    `"${title}" is no place for a hook.`,
    'Name before or after, and list, create, update, delete or aggregate: before-create',
  );
}
