import { string } from '@oclif/core/args';
import { option, string as stringFlag } from '@oclif/core/flags';
import type { PermissionLevel } from '#contracts/permission-level';

/** The argument for a person of the project. */
export const personArgument = {
  email: string({ required: true, description: 'E-mail address of the person.' }),
};

const permissionLevels = ['admin', 'developer', 'editor', 'user'] as const satisfies readonly PermissionLevel[];

const levelFlag = { summary: 'What they may do on the platform.', env: 'SERVICE_LEVEL', options: permissionLevels };
const roleFlag = { summary: 'Name of a role of the project.', env: 'SERVICE_ROLE', helpValue: '<name>' };
const teamFlag = { summary: 'Name of a team of the project.', env: 'SERVICE_TEAM', helpValue: '<name>' };

/** What somebody will be who joins. */
export const joiningFlags = {
  level: option({ ...levelFlag, default: 'user' })(),
  role: stringFlag({ ...roleFlag, required: true }),
  team: stringFlag({ ...teamFlag, summary: 'Name of a team of the project; Operations by default.' }),
};

/** What a member is to be. */
export const memberFlags = {
  level: option(levelFlag)(),
  role: stringFlag(roleFlag),
  team: stringFlag(teamFlag),
};
