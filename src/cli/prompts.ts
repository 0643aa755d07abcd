import { CloudError } from '#kernel/errors/cloud-error';

type Question =
  | { readonly type: 'input'; readonly message: string; readonly required: true }
  | { readonly type: 'password'; readonly message: string }
  | { readonly type: 'confirm'; readonly message: string; readonly default: false };

/** Ask for a text, which may not be empty. Rejects with `INTERRUPTED` on Ctrl-C and Ctrl-D. */
export function askForText(message: string): Promise<string> {
  return ask({ type: 'input', message, required: true });
}

/** Ask for a secret, which is not shown. Rejects with `INTERRUPTED` on Ctrl-C and Ctrl-D. */
export function askForSecret(message: string): Promise<string> {
  return ask({ type: 'password', message });
}

/** Ask whether to do something; Enter alone says no. Rejects with `INTERRUPTED` on Ctrl-C and Ctrl-D. */
export function askToConfirm(message: string): Promise<boolean> {
  return ask({ type: 'confirm', message, default: false });
}

/** Questions stand on stderr, because stdout is for results. */
async function ask<Answer extends string | boolean>(question: Question): Promise<Answer> {
  const { default: inquirer } = await import('inquirer');
  const ending = new AbortController();
  const stopWatching = onEndOfInput(() => ending.abort());
  try {
    const prompt = inquirer.createPromptModule({ output: process.stderr, signal: ending.signal });
    const answers: { readonly answer: unknown } = await prompt([{ ...question, name: 'answer' }]);
    return answers.answer as Answer; // Each kind of question has its own kind of answer.
  } catch (error) {
    if (error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name)) throw cancelled(error);
    throw error;
  } finally {
    stopWatching();
  }
}

/** The prompts leave Ctrl-D and the end of a pipe unanswered, and the process would end without a word. */
function onEndOfInput(leave: () => void): () => void {
  const { stdin } = process;
  const onKey = (_text: unknown, key: { readonly name?: string; readonly ctrl?: boolean }) => {
    if (key.ctrl === true && key.name === 'd') leave();
  };
  stdin.on('keypress', onKey).on('end', leave);
  return () => void stdin.off('keypress', onKey).off('end', leave);
}

function cancelled(cause: Error): CloudError {
  return new CloudError({
    code: 'INTERRUPTED',
    message: 'The question was not answered.',
    nextSteps: ['Run the command again.'],
    cause,
  });
}
