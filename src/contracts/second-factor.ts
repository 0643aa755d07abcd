import * as z from 'zod';
import { keptText } from './kept-text.ts';

/** Where people see and change what they sign in with, below the address of the platform. */
export const factorPagePath = '/settings/sign-in';

export const factorNameSchema = keptText.trim().min(1).max(100);

/** What somebody signs in with beside a password. */
const factorSchema = z.object({
  id: z.number().int().positive(),
  kind: z.enum(['passkey', 'totp']),
  name: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  /** `false` for a passkey of another address of the platform. */
  isUsable: z.boolean(),
});

/** `GET /api/me/factors`, and `GET /api/people/<id>/factors` for who may manage people. */
export const factorListSchema = z.object({
  /** The oldest first. */
  factors: z.array(factorSchema),
  /** How many recovery codes are left. */
  recoveryCodes: z.number().int().nonnegative(),
  /** Whether a role of the person demands a second factor. */
  isNeeded: z.boolean(),
});

/** `PATCH /api/me/factors/<id>`. `DELETE` of the same address removes one, within ten minutes of the sign-in. */
export const renameFactorSchema = z.strictObject({ name: factorNameSchema });

/** `PATCH /api/roles/<name>`: whether the people of a role need a second factor. */
export const changeRoleSchema = z.strictObject({ needsSecondFactor: z.boolean() });

export type Factor = z.infer<typeof factorSchema>;
export type FactorList = z.infer<typeof factorListSchema>;
