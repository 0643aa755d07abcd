import * as z from 'zod';
import { keptText } from './kept-text.ts';
import { heldInProjectSchema } from './memberships.ts';
import { permissionLevels } from './permission-level.ts';

const teamNameSchema = keptText.min(1).max(100);

/** A team of the project. */
export const teamSchema = z.object({
  name: z.string(),
  /** Active members. */
  people: z.number().int().nonnegative(),
  /** Whether somebody created it by its name: it stays without people and rights, until somebody removes it. */
  isKept: z.boolean(),
});

/** `GET /api/teams`, by name. */
export const teamListSchema = z.object({ teams: z.array(teamSchema) });

/** `POST /api/teams`: the answer is 201 with the team. */
export const createTeamSchema = z.strictObject({ name: teamNameSchema });

/** A role of the project. */
export const roleSchema = z.object({
  /** The number by which agents know it. */
  id: z.number().int().positive(),
  name: z.string(),
  /** Active members. */
  people: z.number().int().nonnegative(),
  /** Whether its people sign in with a second factor. Absent where they need none. */
  needsSecondFactor: z.boolean().optional(),
});

/** `GET /api/roles`, by name. */
export const roleListSchema = z.object({ roles: z.array(roleSchema) });

export type Team = z.infer<typeof teamSchema>;
export type Role = z.infer<typeof roleSchema>;

/** The shortest password that is taken, in characters. */
export const minPasswordLength = 12;
const maxPasswordLength = 256;

export const emailSchema = z.email().max(254).toLowerCase();
const nameSchema = keptText.trim().min(1).max(100);
const roleNameSchema = keptText.min(1).max(100);
const secretSchema = z.string().regex(/^[0-9a-f]{64}$/, '64 lower-case hexadecimal digits');
export const newPasswordSchema = z
  .string()
  .refine((text) => [...text].length >= minPasswordLength, `at least ${minPasswordLength} characters`)
  .refine((text) => [...text].length <= maxPasswordLength, `at most ${maxPasswordLength} characters`);

/** A member of the project. */
export const personSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  email: z.string(),
  level: z.enum(permissionLevels),
  /** The first of `roles` and of `teams`. */
  role: z.string(),
  team: z.string(),
  /** All that the person has now in the project, with where each comes from. The rights of an environment may say something else. */
  roles: z.array(heldInProjectSchema),
  teams: z.array(heldInProjectSchema),
  isActive: z.boolean(),
});

/** `GET /api/people`. */
export const peopleSchema = z.object({ people: z.array(personSchema) });

const severalNames = (name: z.ZodString) =>
  z
    .array(name)
    .min(1)
    .max(50)
    .refine((names) => new Set(names).size === names.length, 'a name stands there twice')
    .optional();

interface OneOrSeveral {
  readonly role?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly team?: string | undefined;
  readonly teams?: readonly string[] | undefined;
}

const oneOfBoth = [
  ({ role, roles, team, teams }: OneOrSeveral) =>
    (role === undefined || roles === undefined) && (team === undefined || teams === undefined),
  'name one, or several, and not both',
] as const;

/** `PATCH /api/people/<id>`. What is missing stays. */
export const changePersonSchema = z
  .strictObject({
    level: z.enum(permissionLevels).optional(),
    /** The only role and the only team that the person is to be given. Those of groups and of an elevation stay. */
    role: roleNameSchema.optional(),
    /** Name of a team of the project. With another first team, what the person is signed in with at agents ends: it was for the one before. */
    team: teamNameSchema.optional(),
    /** The same for several. The first one is used where only one can be. */
    roles: severalNames(roleNameSchema),
    teams: severalNames(teamNameSchema),
    /** Deactivating somebody ends their sessions and tokens at once. */
    isActive: z.boolean().optional(),
    /** Take a change after which no administrator of some environment may browse. */
    allowLockout: z.boolean().optional(),
  })
  .refine(
    ({ allowLockout: _confirmed, ...change }) => Object.values(change).some((value) => value !== undefined),
    'nothing to change',
  )
  .refine(...oneOfBoth);

/** What changed of a person, before and after. `null` before they were a member. */
const changed = <Value extends z.ZodType>(value: Value) =>
  z.object({ before: value.nullable(), after: value }).optional();

export const personChangesSchema = z.object({
  level: changed(z.enum(permissionLevels)),
  role: changed(z.string()),
  team: changed(z.string()),
  /** All that administrators have given, where there are several. */
  roles: changed(z.array(z.string())),
  teams: changed(z.array(z.string())),
  isActive: changed(z.boolean()),
});

/** `GET /api/people/history?limit=&before=`: the changes of people, with who made them and when, newest first. */
export const peopleHistorySchema = z.object({
  changes: z.array(
    z.object({
      id: z.number().int(),
      person: z.object({ id: z.number().int(), email: z.string() }),
      author: z.object({ name: z.string(), email: z.string() }),
      at: z.iso.datetime(),
      changes: personChangesSchema,
    }),
  ),
  /** Pass as `before` for the next page; `null` on the last. */
  nextBefore: z.number().int().positive().nullable(),
});

/** `POST /api/invitations`. */
export const createInvitationSchema = z
  .strictObject({
    email: emailSchema,
    level: z.enum(permissionLevels),
    /** Name of a role of the project; or `roles`, the first of which is used where only one can be. */
    role: roleNameSchema.optional(),
    roles: severalNames(roleNameSchema),
    /** Name of the team that the person will belong to, or `teams`; the first one of the project by default. */
    team: teamNameSchema.optional(),
    teams: severalNames(teamNameSchema),
  })
  .refine(...oneOfBoth)
  .refine(({ role, roles }) => role !== undefined || roles !== undefined, 'a role is missing');

const invitationSchema = z.object({
  id: z.number().int(),
  email: z.string(),
  level: z.enum(permissionLevels),
  role: z.string(),
  team: z.string().nullable(),
  /** All of them, the one above first. */
  roles: z.array(z.string()),
  teams: z.array(z.string()),
  state: z.enum(['open', 'accepted', 'revoked', 'expired']),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

/** `GET /api/invitations`, the newest first. */
export const invitationsSchema = z.object({ invitations: z.array(invitationSchema) });

/** The answer of `POST /api/invitations`: the only place that has the link. */
export const createdInvitationSchema = invitationSchema.extend({ link: z.url() });

/** `POST /api/invitations/accept`, without a token. Who has an account already gives its password. */
export const acceptInvitationSchema = z.strictObject({
  secret: secretSchema,
  firstName: nameSchema,
  lastName: nameSchema,
  password: newPasswordSchema,
});

/** The answer of `POST /api/people/<id>/password-reset`: the only place that has the link. */
export const passwordResetSchema = z.object({ link: z.url(), expiresAt: z.iso.datetime() });

/** `POST /api/password-resets/use`, without a token. */
export const usePasswordResetSchema = z.strictObject({ secret: secretSchema, password: newPasswordSchema });

/** `POST /api/me/password`: one's own. All of one's sessions and tokens end, the one of the request too. */
export const changePasswordSchema = z.strictObject({ current: z.string().max(1000), password: newPasswordSchema });

export type Person = z.infer<typeof personSchema>;
export type PersonChanges = z.infer<typeof personChangesSchema>;
export type PeopleHistory = z.infer<typeof peopleHistorySchema>;
export type ChangePerson = z.infer<typeof changePersonSchema>;
export type CreateInvitation = z.infer<typeof createInvitationSchema>;
export type Invitation = z.infer<typeof invitationSchema>;
export type CreatedInvitation = z.infer<typeof createdInvitationSchema>;
export type AcceptInvitation = z.infer<typeof acceptInvitationSchema>;
export type PasswordReset = z.infer<typeof passwordResetSchema>;
export type ChangePassword = z.infer<typeof changePasswordSchema>;
export type UsePasswordReset = z.infer<typeof usePasswordResetSchema>;
