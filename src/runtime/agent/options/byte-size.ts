import { constants } from 'node:buffer';
import * as z from 'zod';

const written = /^(?<amount>\d+(?:\.\d+)?) *(?<unit>b|kb|mb|gb)$/i;
const unitBytes: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** How large something may be: a number of bytes, or a text as `50mb`. A kilobyte has 1,024 bytes. */
export type ByteSize = number | string;

/** A size of what is read as one text, in bytes. */
export const byteSizeSchema = z
  .custom<ByteSize>((value) => typeof value === 'number' || (typeof value === 'string' && written.test(value)), {
    error: 'it must be a number of bytes or a text as "50mb"',
  })
  .transform((size) => (typeof size === 'number' ? size : bytesOf(size)))
  .refine((bytes) => Number.isInteger(bytes) && bytes > 0 && bytes <= constants.MAX_STRING_LENGTH, {
    error: 'it must be a whole number of bytes, more than none and less than 512 MB',
  });

function bytesOf(text: string): number {
  const { amount, unit = 'b' } = written.exec(text)?.groups ?? {};
  return Math.floor(Number(amount) * (unitBytes[unit.toLowerCase()] ?? Number.NaN));
}
