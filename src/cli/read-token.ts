import { credentialKindOf } from '#contracts/credential-kind';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ProcessEnvironment } from '#node/environment/process-environment';
import type { Asking } from './context.ts';

const longest = 10_000;

/** A token from stdin; a person at the terminal is asked, and what they type is not shown. Rejects with `USAGE_INVALID`. */
export async function readToken(
  { isInputTerminal, input }: Pick<ProcessEnvironment, 'isInputTerminal' | 'input'>,
  { isInteractive, prompts }: Asking,
): Promise<string> {
  if (isInteractive) return checkedToken(await prompts.secret('Token:'));
  if (isInputTerminal) return checkedToken('');
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of input) {
    text += decoder.decode(part, { stream: true });
    if (text.length > longest) break;
  }
  return checkedToken(text);
}

function checkedToken(text: string): string {
  const token = text.trim();
  if (token === '') throw noToken('There is no token on stdin.');
  if (!/^[\x21-\x7e]+$/.test(token) || text.length > longest)
    throw noToken('What was given is no token: a token is one word.');
  const kind = credentialKindOf(token);
  if (kind === 'an environment secret' || kind === 'a session token')
    throw noToken(`What was given looks like ${kind}, and not like the token of a person. Nothing was sent.`);
  return token;
}

function noToken(message: string): CloudError {
  return cloudError('USAGE_INVALID', message, 'vendor-cloud login --token-stdin < token.txt');
}
