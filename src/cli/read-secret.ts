import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ProcessEnvironment } from '#node/environment/process-environment';
import type { Asking } from './context.ts';
import { nextCommand } from './next-command.ts';

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
 * types, which is not shown. It is no argument, because everybody on the machine sees those. Throws `USAGE_INVALID`.
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
