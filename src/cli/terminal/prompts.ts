import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { wrapWords } from './wrap-text.ts';

/** Questions to the person at the terminal. Each rejects with `INTERRUPTED` on Ctrl-C, on Ctrl-D and at the end of the input. */
export interface Prompts {
  /** Ask for a text. */
  text(message: string, options?: TextOptions): Promise<string>;
  /** Ask for a text that is not shown. */
  secret(message: string): Promise<string>;
  /** Ask yes or no; Enter without an answer says no, unless `isYes`. */
  confirm(message: string, isYes?: boolean): Promise<boolean>;
  /** Ask for one of several texts. */
  choose(message: string, choices: readonly (string | Choice)[], preferred?: string): Promise<string>;
  /** Ask for any number of several texts. */
  chooseSeveral(message: string, choices: readonly Choice[], options: SeveralOptions): Promise<readonly string[]>;
}

/** How a text is shown, and the text. */
interface Choice {
  readonly name: string;
  readonly value: string;
}

interface SeveralOptions {
  /** Whether none of them is not an answer. */
  readonly isRequired: boolean;
  /** The texts that are chosen at the beginning. */
  readonly preferred: readonly string[];
}

interface TextOptions {
  /** What Enter without an answer says. Default the empty text. */
  readonly preferred?: string | undefined;
  /** What is wrong with an answer, which is then asked for again; `undefined` where nothing is. */
  problemOf?(text: string): string | undefined;
  /** What the terminal shows of it while it is typed, and afterwards. Default: all of it. */
  shownAs?(text: string): string;
}

/** Where a person types, and where they see what they are asked. */
interface PromptStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

interface QuestionContext extends PromptStreams {
  /** Aborted when the person leaves. */
  readonly signal: AbortSignal;
}

/** Questions stand on stderr, because stdout is for results. */
export function createPrompts(
  { input, output }: PromptStreams = { input: process.stdin, output: process.stderr },
): Prompts {
  const asked = (message: string) => wrappedQuestion(message, output);
  const answered = async <Answer>(ask: (context: QuestionContext) => Promise<Answer>): Promise<Answer> => {
    const leaving = new AbortController();
    const stopWatching = onEndOfInput(input, () => leaving.abort());
    try {
      return await ask({ input, output, signal: leaving.signal });
    } catch (error) {
      if (error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name)) throw cancelled(error);
      throw error;
    } finally {
      stopWatching();
    }
  };
  return {
    text: async (message, { preferred, problemOf = () => undefined, shownAs = (text: string) => text } = {}) => {
      const { default: askForText } = await import('@inquirer/input');
      const validate = (text: string) => problemOf(text) ?? true;
      const question = { message: asked(message), default: preferred, validate, transformer: shownAs };
      return answered((context) => askForText(question, context));
    },
    secret: async (message) => {
      const { default: askForSecret } = await import('@inquirer/password');
      return answered((context) => askForSecret({ message: asked(message) }, context));
    },
    confirm: async (message, isYes = false) => {
      const { default: askYesOrNo } = await import('@inquirer/confirm');
      return answered((context) => askYesOrNo({ message: asked(message), default: isYes }, context));
    },
    choose: async (message, choices, preferred) => {
      const { default: askForOne } = await import('@inquirer/select');
      const question = { message: asked(message), choices: choices.map(namedChoice) };
      const start = preferred === undefined ? {} : { default: preferred };
      return answered((context) => askForOne({ ...question, ...start }, context));
    },
    chooseSeveral: async (message, choices, { isRequired, preferred }) => {
      const { default: askForSeveral } = await import('@inquirer/checkbox');
      const marked = choices.map((choice) => ({ ...choice, checked: preferred.includes(choice.value) }));
      const question = { message: asked(message), choices: marked, required: isRequired };
      return answered((context) => askForSeveral(question, context));
    },
  };
}

function namedChoice(choice: string | Choice): Choice {
  return typeof choice === 'string' ? { name: choice, value: choice } : choice;
}

/** The prompts would break a long question inside of words. Two characters stand before it. */
function wrappedQuestion(message: string, output: NodeJS.WritableStream & { readonly columns?: number }): string {
  return output.columns ? wrapWords(message, '', 2, output.columns).join('\n') : message;
}

/** The prompts leave Ctrl-D and the end of a pipe unanswered, and the process would end without a word. */
function onEndOfInput(input: NodeJS.ReadableStream, leave: () => void): () => void {
  const onKey = (_text: unknown, key: { readonly name?: string; readonly ctrl?: boolean }) => {
    if (key.ctrl === true && key.name === 'd') leave();
  };
  input.on('keypress', onKey).on('end', leave);
  return () => void input.off('keypress', onKey).off('end', leave);
}

function cancelled(cause: Error): CloudError {
  return cloudError('INTERRUPTED', 'The question was not answered.', 'Run the command again.', { cause });
}
