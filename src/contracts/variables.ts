import * as z from 'zod';

/**
 * Variables and secrets of an environment, `Authorization: Bearer <user token>`. Their values go to the hosts of the environment
 * and to nobody else:
 *
 * | request | answer |
 * |---|---|
 * | `GET /api/variables?revision=` | `variableListSchema`, of the newest revision by default |
 * | `PATCH /api/variables`, `changeVariablesSchema` | 200 `variableListSchema` |
 */
const variableNameSchema = z.string().regex(/^[A-Za-z_]\w{0,127}$/, 'letters, digits and underscores');

export const changeVariablesSchema = z.strictObject({
  set: z.record(variableNameSchema, z.string().max(32_768)).default({}),
  unset: z.array(variableNameSchema).max(1000).default([]),
  /** The revision that is changed; when there is another one by now, nothing is done (409). */
  base: z.number().int().nonnegative(),
});

export const variableListSchema = z.object({
  /** Counts from 1 in each environment; 0 before the first change. */
  revision: z.number().int().nonnegative(),
  names: z.array(z.string()),
  /** Who made the revision, and when; `null` before the first change. Older platforms do not tell it. */
  change: z
    .object({ author: z.object({ name: z.string(), email: z.string() }), at: z.iso.datetime() })
    .nullable()
    .optional(),
});

export type ChangeVariables = z.infer<typeof changeVariablesSchema>;
export type VariableList = z.infer<typeof variableListSchema>;
