import { integer, string } from '@oclif/core/args';
import { option, string as stringFlag } from '@oclif/core/flags';
import type { PermissionLevel } from '#contracts/permission-level';

/** The argument for a person of the project. */
export const personArgument = {
  email: string({ required: true, description: 'E-mail address of the person.' }),
};

/** The argument for a role that somebody takes for a time. */
export const elevationArgument = {
  id: integer({ required: true, min: 1, description: 'Number of the elevation, as "elevations list" shows it.' }),
};

/** The argument for a request for an approval. */
export const approvalArgument = {
  id: integer({ required: true, min: 1, description: 'Number of the request, as "approvals list" shows it.' }),
};

/** What somebody says with an answer. */
export const commentFlag = {
  comment: stringFlag({ summary: 'Your comment.', env: 'SERVICE_COMMENT', helpValue: '<text>' }),
};

/** The argument for a group of the company. */
export const groupArgument = {
  group: string({ required: true, description: 'Name of the group, as the company has it.' }),
};

const permissionLevels = ['admin', 'developer', 'editor', 'user'] as const satisfies readonly PermissionLevel[];

const levelFlag = { summary: 'What they may do on the platform.', env: 'SERVICE_LEVEL', options: permissionLevels };
const several = { multiple: true, multipleNonGreedy: true, delimiter: ',', helpValue: '<name>' } as const;
const roleFlag = {
  ...several,
  summary: 'Name of a role of the project, or of several, the first one first.',
  env: 'SERVICE_ROLE',
};
const teamFlag = {
  ...several,
  summary: 'Name of a team of the project, or of several, the first one first.',
  env: 'SERVICE_TEAM',
};

/** What somebody will be who joins. */
export const joiningFlags = {
  level: option({ ...levelFlag, default: 'user' })(),
  role: stringFlag({ ...roleFlag, required: true }),
  team: stringFlag({ ...teamFlag, summary: 'Name of a team of the project, or of several; Operations by default.' }),
};

/** What a member is to be. */
export const memberFlags = {
  level: option(levelFlag)(),
  role: stringFlag(roleFlag),
  team: stringFlag(teamFlag),
};
