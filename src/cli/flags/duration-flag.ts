import { custom } from '@oclif/core/flags';
import { cloudError } from '#kernel/errors/cloud-error';

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** A flag that takes a time span such as `90d`, `12h`, `30m` or `0s`, in seconds, of at most `most`. */
export const durationFlag = custom<number, { readonly most: string }>({
  parse: async (text, _context, { most }) => parseDuration(text, most),
  helpValue: '<time>',
});

/** Seconds. Throws `USAGE_INVALID` for what is not a time span, and for one that is longer than `most`. */
export function parseDuration(text: string, most?: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count === '') {
    throw cloudError(
      'USAGE_INVALID',
      `"${text}" is not a time span.`,
      'Write a whole number and a unit: 90d, 12h, 30m or 45s.',
    );
  }
  const seconds = Number(count) * unitSeconds[unit as keyof typeof unitSeconds];
  if (most === undefined || seconds <= parseDuration(most)) return seconds;
  throw cloudError('USAGE_INVALID', `"${text}" is too long.`, `Give ${most} at most.`);
}
