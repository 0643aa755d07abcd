import * as z from 'zod';

/** Where a role or a team of somebody comes from: an administrator, a group of the company, or an elevation for a time. */
export const membershipSources = ['given', 'group', 'elevation'] as const;

/** `file`: the rights of the environment say so, in place of what somebody has in the project. */
const heldSources = [...membershipSources, 'file'] as const;

/** A role or a team that somebody has now. */
export const heldSchema = z.object({
  name: z.string(),
  source: z.enum(heldSources),
  /** Name of the group that it comes from. */
  group: z.string().optional(),
  /** Absent where it has no end. */
  endsAt: z.iso.datetime().optional(),
});

/** The same of a project. `environment` is the only one where it counts; absent where it counts in all of them. */
export const heldInProjectSchema = heldSchema.extend({ environment: z.string().optional() });

export type MembershipSource = (typeof membershipSources)[number];
export type Held = z.infer<typeof heldSchema>;
export type HeldInProject = z.infer<typeof heldInProjectSchema>;
