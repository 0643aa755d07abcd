import { boolean, string } from '@oclif/core/flags';
import type { UndoTarget } from '#flows/audit/undo/undo-writes';
import { cloudError } from '#kernel/errors/cloud-error';
import { parseDuration } from './duration-flag.ts';
import { environmentFlags, projectFlags } from './project-flags.ts';

/** Which log a command is about. */
export const logFlags = {
  ...projectFlags,
  ...environmentFlags,
  admin: boolean({
    summary: 'The changes of the configuration of the project, instead of what people did in an environment.',
    env: 'SERVICE_ADMIN',
    exclusive: ['env'],
  }),
};

/** A log in an archive. */
export const archivedLogFlags = {
  archive: string({
    summary: 'In this archive, instead of the platform: file:///folder or s3://bucket/folder.',
    env: 'SERVICE_ARCHIVE',
    helpValue: '<address>',
  }),
  'project-name': string({
    summary: 'The project, in an archive of several.',
    env: 'SERVICE_PROJECT_NAME',
    dependsOn: ['archive'],
    helpValue: '<name>',
  }),
};

/** Times that bound a search. */
export const timeFlags = {
  since: string({
    summary: 'From this time on: 2026-01-31, 2026-01-31T12:00Z, or 7d ago.',
    env: 'SERVICE_SINCE',
    helpValue: '<time>',
  }),
  until: string({ summary: 'Before this time.', env: 'SERVICE_UNTIL', helpValue: '<time>' }),
};

/** What the code of a deployment did. */
export const versionFlag = {
  summary: 'By this version of the code, as hosts have told it.',
  env: 'SERVICE_VERSION',
  min: 1,
  helpValue: '<number>',
} as const;

/** Milliseconds since the epoch, of a time or of a time span before `now`. Throws `USAGE_INVALID`. */
export function parseTime(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+[smhd]$/.test(text)) return now - parseDuration(text) * 1000;
  const time = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw cloudError(
    'USAGE_INVALID',
    `"${text}" is not a time.`,
    'Write a day (2026-01-31), a time with its zone (2026-01-31T12:00Z), or how long ago (7d, 12h, 30m).',
  );
}

/** The same, and an hour such as 14:00: the last time that the clock of this machine showed it. */
export function parseTimeOrHour(text: string | undefined, now: number): number | undefined {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text ?? '') ?? [];
  if (hour === undefined) return parseTime(text, now);
  const time = new Date(now);
  time.setHours(Number(hour), Number(minute), 0, 0);
  if (time.getTime() > now) time.setDate(time.getDate() - 1);
  return time.getTime();
}

/** A month as segments are called. Throws `USAGE_INVALID`. */
export function parseMonth(text: string): string {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return text;
  throw cloudError('USAGE_INVALID', `"${text}" is not a month.`, 'Write a year and a month: 2026-10.');
}

/** The log that the flags name. */
export function logOf(
  flags: {
    readonly project?: string | undefined;
    readonly env?: string | undefined;
    readonly admin?: boolean | undefined;
  },
  { workingFolder }: { readonly workingFolder: string },
) {
  return { folder: flags.project ?? workingFolder, environment: flags.env, isAdmin: flags.admin === true };
}

/** What to take back: one act by its id, what somebody wrote since a time, or what a version of the code did. Throws `USAGE_INVALID`. */
export function undoTargetOf({ id, user, client, version, since }: UndoTargetFlags): UndoTarget {
  const isOfActor = user !== undefined || client !== undefined;
  if (id !== undefined && !isOfActor && version === undefined && since === undefined) return { id };
  if (id === undefined && version !== undefined) return { user, client, version, since };
  if (id === undefined && isOfActor && since !== undefined) return { user, client, since };
  throw cloudError(
    'USAGE_INVALID',
    'The command takes the id of one act, --version, or --user or --client with --since.',
    'Find the id of an act: vendor-cloud audit search --type write --json',
  );
}

interface UndoTargetFlags {
  readonly id: string | undefined;
  readonly user: string | undefined;
  readonly client: string | undefined;
  readonly version: number | undefined;
  readonly since: number | undefined;
}

/** Checkpoints that the platform cannot reach. */
export const anchorFlags = {
  anchor: string({
    summary: 'File with checkpoints that were kept elsewhere.',
    env: 'SERVICE_ANCHOR',
    multiple: true,
    helpValue: '<file>',
  }),
};

/** Other machines that must have signed. */
export const witnessFlags = {
  witness: string({
    summary: 'Public key of a machine that must have cosigned in the last 25 hours, or a file with it.',
    env: 'SERVICE_WITNESS',
    multiple: true,
    helpValue: '<key>',
  }),
};
