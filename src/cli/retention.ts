import { cloudError } from '#kernel/errors/cloud-error';
import { parseDuration } from './duration-flag.ts';

const daySeconds = 24 * 60 * 60;
const leastActivityDays = 30;
const leastAdminDays = 400;

/** How long the audit log is kept, in days. Throws `USAGE_INVALID` for a time that is none, or is too short. */
export function parseRetention(flags: {
  readonly 'keep-activity'?: string | undefined;
  readonly 'keep-admin'?: string | undefined;
}) {
  return {
    activityDays: daysOf('--keep-activity', flags['keep-activity'], leastActivityDays),
    adminDays: daysOf('--keep-admin', flags['keep-admin'], leastAdminDays),
  };
}

function daysOf(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const days = Math.floor(parseDuration(text) / daySeconds);
  if (days >= least) return days;
  throw cloudError(
    'USAGE_INVALID',
    `${flag} is ${text}: these logs are kept for ${least} days at least.`,
    `Give ${least}d or more, or leave the flag out to keep them for ever.`,
  );
}
