import { string } from '@oclif/core/flags';
import type { AgentOfProject } from '#flows/run/agent-of-project';
import type { CliContext } from '../invocation/cli-context.ts';
import { developerOf } from '../invocation/developer.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { personFlags, projectFlags } from './project-flags.ts';

/** The flags of commands that ask an agent. */
export const runFlags = {
  ...projectFlags,
  ...personFlags,
  timezone: string({
    summary: 'Time zone, in which days begin (by default the one of this machine).',
    env: 'SERVICE_TIMEZONE',
    helpValue: '<IANA name>',
  }),
};

/** The flags of commands about records. */
export const recordFlags = {
  ...runFlags,
  filter: string({
    summary: 'Only records that fulfil this: status=open, "total>100", "customer:name~ada", or a condition as JSON.',
    env: 'SERVICE_FILTER',
    multiple: true,
    default: [],
    helpValue: '<condition>',
  }),
  search: string({ summary: 'Only records that this text is found in.', env: 'SERVICE_SEARCH', helpValue: '<text>' }),
  segment: string({ summary: 'Only records of this segment.', env: 'SERVICE_SEGMENT', helpValue: '<name>' }),
};

interface RunFlags {
  readonly project?: string | undefined;
  readonly as?: string | undefined;
  readonly timezone?: string | undefined;
}

/** The project and the person that the flags name. */
export async function agentOfFlags(
  flags: RunFlags,
  invocation: Invocation,
  context: CliContext,
): Promise<AgentOfProject> {
  return {
    folder: flags.project ?? context.workingFolder,
    as: flags.as,
    developer: await developerOf(context),
    signal: invocation.interrupted,
    timezone: flags.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
