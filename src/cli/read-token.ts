import { CloudError } from '#kernel/errors/cloud-error';
import { askForSecret } from './prompts.ts';
import type { Session } from './session.ts';

const longest = 10_000;

/** What stands on stdin, and whether a person sits at it. */
interface TokenInput {
  readonly environment: Pick<Session['environment'], 'isInputTerminal' | 'input'>;
}

/** A token from stdin; a person at the terminal is asked, and what they type is not shown. Rejects with `USAGE_INVALID`. */
export async function readToken({ environment }: TokenInput): Promise<string> {
  if (environment.isInputTerminal) return askForSecret('Token:');
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of environment.input) {
    text += decoder.decode(part, { stream: true });
    if (text.length > longest) break;
  }
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token) && text.length <= longest) return token;
  throw new CloudError({
    code: 'USAGE_INVALID',
    message: token === '' ? 'There is no token on stdin.' : 'What stands on stdin is no token: a token is one word.',
    nextSteps: ['vendor-cloud login --token-stdin < token.txt'],
  });
}
