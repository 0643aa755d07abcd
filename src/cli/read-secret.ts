import type { ProcessEnvironment } from '#host/environment/process-environment';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Asking } from './context.ts';

/** Longest value on stdin, in bytes. */
const maxBytes = 128 * 1024;

/**
 * A value that nobody else may see: what stands on stdin without its last line break, or what a person types, which is not
 * shown. It is no argument, because everybody on the machine sees those. Throws `USAGE_INVALID`.
 */
export async function readSecret(
  { isInputTerminal, input }: Pick<ProcessEnvironment, 'isInputTerminal' | 'input'>,
  { isInteractive, prompts }: Asking,
  what: string,
): Promise<string> {
  if (isInteractive) return refuseEmpty(await prompts.secret(`${what} (not shown):`), what);
  if (isInputTerminal) throw missing(what);
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
    what,
  );
}

function refuseEmpty(value: string, what: string): string {
  if (value === '') throw missing(what);
  return value;
}

function missing(what: string): CloudError {
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `${what} is missing: it is read from stdin.`,
    nextSteps: ['Pipe it into the command: vendor-cloud variables set DATABASE_URL < file-with-the-value'],
  });
}

function tooLong(what: string): CloudError {
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `${what} has more than ${maxBytes} bytes.`,
    nextSteps: ['Keep it somewhere else, and set a variable to where it is.'],
  });
}
