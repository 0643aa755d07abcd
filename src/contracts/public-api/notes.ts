import * as z from 'zod';
import { keptText } from '../kept-text.ts';
import { noteTitleSchema } from '../notes.ts';
import { apiCollectionSchema, apiEnvironmentSchema, apiTeamSchema, apiUserSchema, pageOf } from './activity-logs.ts';
import {
  cursorParameter,
  echoedOfEnvironment,
  echoedRange,
  emailParameter,
  idParameter,
  limitParameter,
  nameParameter,
  oneBoundASide,
  rangeParameters,
  textParameter,
} from './parameters.ts';

/**
 * Notes on records, below `/v1/project/<project>/environment/<environment>`. A note has a strong `ETag`:
 *
 * | request | scope | answer |
 * |---|---|---|
 * | `GET /notes` | `notes:read` | `notePageSchema`, the newest first |
 * | `GET /notes/<id>` | `notes:read` | `noteSchema` |
 * | `POST /notes`, `createNoteSchema` | `notes:write` | 201 `noteSchema` |
 * | `POST /notes/<id>/messages`, `createMessageSchema` | `notes:write` | 201 `noteMessageSchema` |
 * | `PATCH /notes/<id>`, `changeNoteSchema`, with `If-Match` | `notes:write` | 200 `noteSchema`; 428 without the header, 412 when the note has changed |
 */
export const noteMessageSchema = z.strictObject({
  object: z.literal('note-message'),
  /** HTML of a few harmless elements. Who is mentioned in the console stands there as `<mention user="7">@Ada Lovelace</mention>`. */
  content: z.string(),
  createdAt: z.iso.datetime(),
  user: apiUserSchema,
});

export const noteSchema = z.strictObject({
  object: z.literal('note'),
  id: z.int(),
  title: z.string(),
  recordId: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  archivedAt: z.iso.datetime().optional(),
  /** In the order in which they were written. */
  messages: z.array(noteMessageSchema),
  user: apiUserSchema,
  environment: apiEnvironmentSchema,
  team: apiTeamSchema,
  /** Missing for a collection that the agent of the environment no longer has. */
  collection: apiCollectionSchema.optional(),
});

export const notePageSchema = pageOf(noteSchema);

/** The parameters of a list as they were understood. */
export const notesEcho = z.strictObject({
  ...echoedOfEnvironment,
  ...echoedRange('createdAt'),
  ...echoedRange('updatedAt'),
  ...echoedRange('archivedAt'),
});

const longestRecordId = 4_096;

/** The same as a filter takes, so that what was written is found. */
const nameSchema = textParameter.refine((text) => text.isWellFormed(), 'text without half characters');

const contentSchema = keptText.min(1, 'at least one character');

export const createNoteSchema = z.strictObject({
  collectionName: nameSchema.max(512),
  /** Packed id of the record; nobody asks the database for it. */
  recordId: nameSchema.max(longestRecordId),
  title: noteTitleSchema,
  content: contentSchema,
  /** The team of whoever writes by default. */
  teamName: nameSchema.max(100).optional(),
});

export const createMessageSchema = z.strictObject({ content: contentSchema });

export const changeNoteSchema = z
  .strictObject({ title: noteTitleSchema.optional(), archived: z.boolean().optional() })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'nothing to change');

/** The parameters of `GET /notes`. */
export const notesQuery = z
  .strictObject({
    limit: limitParameter,
    userEmail: emailParameter.optional(),
    userId: idParameter.optional(),
    teamName: nameParameter.optional(),
    collectionName: nameParameter.optional(),
    recordId: textParameter.max(longestRecordId).optional(),
    ...rangeParameters('createdAt'),
    ...rangeParameters('updatedAt'),
    ...rangeParameters('archivedAt'),
    cursor: cursorParameter.optional(),
  })
  .superRefine(oneBoundASide('createdAt'))
  .superRefine(oneBoundASide('updatedAt'))
  .superRefine(oneBoundASide('archivedAt'));

export type Note = Readonly<z.output<typeof noteSchema>>;
export type NotePage = Readonly<z.output<typeof notePageSchema>>;
export type CreateNote = Readonly<z.output<typeof createNoteSchema>>;
export type ChangeNote = Readonly<z.output<typeof changeNoteSchema>>;
