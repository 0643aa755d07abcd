import * as z from 'zod';
import { keptText } from './kept-text.ts';

/** Bytes of the JSON of what somebody keeps in a project, and of one view. */
export const mostPreferenceBytes = 64 * 1024;
/** Views of a team in a project. */
export const mostTeamViews = 200;

/** The member of what somebody keeps in a project that the platform reads: `false` switches mails about approvals off. */
export const approvalMailsPreference = 'approvalMails';

const documentSchema = z.record(z.string(), z.unknown());
const revision = z.number().int().nonnegative();

/** `GET /api/me/preferences`: what somebody keeps in the project of the request. Its members are the page's own, but `approvalMails`. */
export const preferencesSchema = z.object({
  /** Counts from 1; 0 before the first change. */
  revision,
  preferences: documentSchema,
});

/** `PATCH /api/me/preferences`. */
export const changePreferencesSchema = z.strictObject({
  /** The revision that the change is made on. Without it, the change is made on the newest. */
  base: revision.optional(),
  /** Each member takes the place of the one that was there; `null` removes it. */
  preferences: documentSchema,
});

const viewContent = {
  name: keptText.trim().min(1).max(100),
  collection: keptText.min(1).max(512),
  document: documentSchema,
};

/** A list as somebody has arranged it, for their team. */
export const teamViewSchema = z.object({
  id: z.number().int(),
  revision,
  name: z.string(),
  collection: z.string(),
  document: documentSchema,
  owner: z.object({ id: z.number().int(), name: z.string() }),
  /** Whether the person of the request may change it: its owner, and whoever manages people. */
  isMine: z.boolean(),
});

/** `GET /api/views?collection=`: those of one's own team, in the order in which they were made. */
export const teamViewListSchema = z.object({ views: z.array(teamViewSchema) });
export const teamViewQuerySchema = z.strictObject({ collection: z.string().optional() });

/** `POST /api/views`. */
export const createTeamViewSchema = z.strictObject(viewContent);

/** `PUT /api/views/<id>`: 409 when the revision is not `base` any more. */
export const changeTeamViewSchema = z.strictObject({ base: revision, ...viewContent });

export type Preferences = z.infer<typeof preferencesSchema>;
export type TeamView = z.infer<typeof teamViewSchema>;
