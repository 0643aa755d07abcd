import { custom } from '@oclif/core/args';
import { withoutCredentials } from '#contracts/credential-kind';
import { cloudError } from '#kernel/errors/cloud-error';

/** An argument that is the number of something: 1, 2, 3, … */
export const numberArgument = custom<number>({ parse: async (text) => parseNumber(text) });

/** Throws `USAGE_INVALID` for what is not a whole number from 1 on; the parser of the framework would throw what looks like a bug. */
export function parseNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && Number.isSafeInteger(number)) return number;
  throw cloudError(
    'USAGE_INVALID',
    `"${withoutCredentials(text)}" is not a number.`,
    'Write a whole number from 1 on.',
  );
}
