import * as z from 'zod';
import { apiScopes } from '../api-tokens.ts';

/** `GET /v1/caller`: whose the token is, and what it opens. */
export const callerSchema = z.object({
  object: z.literal('caller'),
  project: z.string(),
  environments: z.array(z.string()),
  /** The one to look at first: the development environment, else the oldest. */
  environment: z.string().nullable(),
  scopes: z.array(z.enum(apiScopes)),
});

export type Caller = Readonly<z.output<typeof callerSchema>>;
