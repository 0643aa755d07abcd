import { credentialKindOf } from '#contracts/credential-kind';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ProcessEnvironment } from '#node/environment/process-environment';
import type { Asking } from '../invocation/cli-context.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { nextCommand } from '../terminal/next-command.ts';

export interface WantedSecret {
  /** Name of the variable. */
  readonly variable: string;
  /** Name of the environment, where the call names one. */
  readonly environment: string | undefined;
}

/** Longest value on stdin, in bytes. */
const maxBytes = 128 * 1024;

/**
 * The value of a variable, which nobody else may see: what stands on stdin without its last line break, or what a person
 * types, which is not shown. It is not an argument, because everybody on the machine sees those. Throws `USAGE_INVALID`.
 */
export async function readSecret(
  { isInputTerminal, input }: Pick<ProcessEnvironment, 'isInputTerminal' | 'input'>,
  { isInteractive, prompts }: Asking,
  wanted: WantedSecret,
): Promise<string> {
  const what = `The value of ${wanted.variable}`;
  if (isInteractive) return refuseEmpty(await prompts.secret(`${what} (not shown):`), wanted);
  if (isInputTerminal) throw missing(wanted);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of input) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes > maxBytes) throw tooLong(what);
  }
  return refuseEmpty(
    Buffer.concat(parts)
      .toString('utf8')
      .replace(/\r?\n$/, ''),
    wanted,
  );
}

function refuseEmpty(value: string, wanted: WantedSecret): string {
  if (value === '') throw missing(wanted);
  return value;
}

function missing({ variable, environment }: WantedSecret): CloudError {
  const where = environment === undefined ? [] : ['--env', environment];
  return cloudError(
    'USAGE_INVALID',
    `The value of ${variable} is missing: it is read from stdin.`,
    `Pipe it into the command: ${nextCommand(['variables', 'set', variable, ...where])} < file-with-the-value`,
  );
}

function tooLong(what: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `${what} has more than ${maxBytes} bytes.`,
    'Keep it somewhere else, and set a variable to where it is.',
  );
}

/** Longest token on stdin, in characters. */
const longestToken = 10_000;

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
    if (text.length > longestToken) break;
  }
  return checkedToken(text);
}

function checkedToken(text: string): string {
  const token = text.trim();
  if (token === '') throw noToken('There is no token on stdin.');
  if (!/^[\x21-\x7e]+$/.test(token) || text.length > longestToken)
    throw noToken('What was given is not a token: a token is one word.');
  const kind = credentialKindOf(token);
  if (kind === 'an environment secret' || kind === 'a session token')
    throw noToken(`What was given looks like ${kind}, and not like the token of a person. Nothing was sent.`);
  return token;
}

function noToken(message: string): CloudError {
  return cloudError('USAGE_INVALID', message, 'vendor-cloud login --token-stdin < token.txt');
}

/** Refuses a sign-in in a browser where nobody would see its address: in CI and under `--json`. It may be without a terminal. */
export function requirePerson({
  terminal,
  environment,
}: {
  readonly terminal: Pick<Invocation['terminal'], 'isJson'>;
  readonly environment: Pick<Invocation['environment'], 'variables'>;
}): void {
  if (!terminal.isJson && !environment.variables['CI']) return;
  throw cloudError(
    'USAGE_INVALID',
    'Signing in needs a person who opens a page, and nobody would see its address here.',
    [
      'Keep a token instead: vendor-cloud login --token-stdin < token.txt',
      'Or set SERVICE_AUTH_TOKEN, which needs no sign-in.',
    ],
  );
}
