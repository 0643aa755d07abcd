import * as z from 'zod';
import { keptText } from './kept-text.ts';

/** The longest elevation that the rights of an environment can allow: a week. */
export const mostElevationMinutes = 7 * 24 * 60;

const person = z.object({ id: z.number().int(), name: z.string(), email: z.string() });

/** A role that somebody takes for a time, in one environment. */
export const elevationSchema = z.object({
  id: z.number().int(),
  person,
  role: z.string(),
  environment: z.string(),
  reason: z.string(),
  minutes: z.number().int(),
  /** `asked`: somebody has to agree first. `lapsed`: nobody did within a day. */
  state: z.enum(['asked', 'active', 'refused', 'lapsed', 'ended']),
  askedAt: z.iso.datetime(),
  /** Who agreed or refused; `null` where nobody has to, or nobody has yet. */
  decidedBy: person.nullable(),
  /** When it ends, or has ended; `null` where it never began. */
  endsAt: z.iso.datetime().nullable(),
  /** Whether whoever asks for the list may agree to it or refuse it. */
  mayDecide: z.boolean(),
});

/** `GET /api/elevations`: those of the environment that one has asked for or may decide on, for administrators all; the newest first. */
export const elevationListSchema = z.object({ elevations: z.array(elevationSchema) });

/** `POST /api/elevations`. It is active at once, unless the rights of the environment want somebody else to agree. */
export const createElevationSchema = z.strictObject({
  role: keptText.min(1).max(100),
  minutes: z.number().int().min(1).max(mostElevationMinutes),
  reason: keptText.trim().min(3).max(500),
});

export type Elevation = z.infer<typeof elevationSchema>;
export type CreateElevation = z.infer<typeof createElevationSchema>;
