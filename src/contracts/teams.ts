import * as z from 'zod';
import { keptText } from './kept-text.ts';

export const teamNameSchema = keptText.min(1).max(100);

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
});

/** `GET /api/roles`, by name. */
export const roleListSchema = z.object({ roles: z.array(roleSchema) });

export type Team = z.infer<typeof teamSchema>;
export type Role = z.infer<typeof roleSchema>;
