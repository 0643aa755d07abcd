import * as z from 'zod';
import { keptText } from './kept-text.ts';

/**
 * The history of records with values. Code says of which collections values are kept. The agent reports the values of a write behind its
 * report. The platform seals them, and only agents of the environment open them: they know who may read the records.
 */

/** How many records one report has values of at most. */
export const maxRecordsWithValues = 100;
/** Of the values of one report together, as JSON. */
export const maxValueBytes = 256 * 1024;
/** Of one value, as JSON. */
export const maxKeptValueBytes = 16 * 1024;

/** Why the value of a field is not kept. `hidden`: code shows the field to nobody. `inexact`: JSON cannot say what is stored. */
const unkeptFieldReasons = ['binary', 'long', 'secret', 'hidden', 'inexact'] as const;
/** Why a whole report has no values. `override`: code of the project writes in the place of the database. */
const unkeptActReasons = ['tooMany', 'override', 'changedMeanwhile'] as const;
/** The same, and why the platform does not have what was kept: `unreadable` with another key than it was sealed with. */
const missingReasons = [...unkeptActReasons, 'erased', 'unreadable'] as const;

const values = z.record(z.string(), z.unknown());

/** What a write did to one record. Fields have the names that customization code knows them by. */
export const keptValuesSchema = z.object({
  /** `null` where the record was made. */
  before: values.nullable(),
  /** `null` where it was deleted. */
  after: values.nullable(),
  /** Fields that were written, or that a deleted record had, and whose values are not kept. */
  unkept: z.record(z.string(), z.enum(unkeptFieldReasons)),
});

/** What follows the report of a write to a collection whose values are kept. */
export const activityValuesSchema = z.object({
  /** That of the report. */
  id: z.uuid(),
  values: z.union([
    z.object({
      records: z
        .array(keptValuesSchema.extend({ recordId: z.string().max(512) }))
        .min(1)
        .max(maxRecordsWithValues),
    }),
    z.object({ unkept: z.enum(unkeptActReasons) }),
  ]),
});

/** A write to a record, as its history tells it. */
const recordedWriteSchema = z.object({
  /** Number of its row in the log. */
  sequence: z.int().positive(),
  /** Of its report. */
  id: z.string(),
  occurredAt: z.string(),
  action: z.string(),
  label: z.string().optional(),
  /** Id of the report of the write that it takes back. */
  undoes: z.string().optional(),
  user: z.object({ id: z.int(), name: z.string(), email: z.string() }),
  client: z.string().optional(),
  tool: z.string().optional(),
  status: z.enum(['pending', 'completed']),
  /** Names of the fields that it wrote, as they were published then. */
  fields: z.array(z.string()),
  /** `null` where none are kept. */
  values: keptValuesSchema.nullable(),
  /** Why there are none, where that is known. */
  missing: z.enum(missingReasons).nullable(),
});

/** `GET /agent/v1/history?collection=…&recordId=…`, header `service-secret-key`: the writes to a record, the newest first. */
export const recordHistoryQuerySchema = z.strictObject({
  collection: keptText.min(1).max(255),
  recordId: keptText.max(512),
  /** Only writes in rows before this one. */
  before: z.coerce.number<string>().pipe(z.number().int().positive()).optional(),
  limit: z.coerce.number<string>().pipe(z.number().int().min(1).max(100)).default(20),
});

export const recordHistorySchema = z.object({
  writes: z.array(recordedWriteSchema),
  /** What to ask for next as `before`; `null` at the end. */
  next: z.int().nullable(),
});

/** `GET /_internal/history/<collection>/<id>` of an agent: the same by the rights of whoever asks. Fields have published names. */
export const shownHistorySchema = z.object({
  /** Whether code says that values of this collection are kept. */
  isKept: z.boolean(),
  writes: z.array(
    recordedWriteSchema.omit({ values: true, missing: true }).extend({
      /** Absent in answers of older agents. */
      id: z.string().optional(),
      /** By field: what is shown. Absent where no values are kept. */
      before: values.nullable().optional(),
      after: values.nullable().optional(),
      /** Fields that were written and whose values are not kept, each with the reason in words. */
      unkept: z.record(z.string(), z.string()),
      /** Why no values are kept, in words. */
      problem: z.string().optional(),
      /** Whether it can be undone, as far as its values and the rights of who asks say. */
      isUndoable: z.boolean(),
      /** Whether a deleted record would come back without some of its values. */
      isLossy: z.boolean().optional(),
    }),
  ),
  /** Fields that no request writes, so that no undo brings their values back. */
  readOnly: z.array(z.string()).optional(),
  next: z.int().nullable(),
});

/**
 * `GET /_internal/history/<collection>/<id>/undo?sequence=…` of an agent: what foreign keys of the database have to do with taking a write
 * back, as far as who asks may know it.
 */
export const undoTiesSchema = z.object({
  /** The foreign keys that lead to the record, where the undo deletes it. */
  referring: z.array(
    z.object({
      collection: z.string(),
      /** Whether the database refuses the deletion, deletes the others along, or takes their link away. */
      rule: z.enum(['refuse', 'cascade', 'unlink']),
      /** The fields of the others, each with the field of the record whose value it has. Empty where not all of them are shown. */
      fields: z.array(z.object({ name: z.string(), of: z.string() })),
      /** The others that lead to the record now. */
      recordIds: z.array(z.string()),
      /** Whether there are others that are not named. */
      hasMore: z.boolean(),
    }),
  ),
  /** The records that the written values lead to. */
  targets: z.array(z.object({ collection: z.string(), recordId: z.string(), isMissing: z.boolean() })),
});

export type UnkeptFieldReason = (typeof unkeptFieldReasons)[number];
export type UnkeptActReason = (typeof unkeptActReasons)[number];
export type MissingValuesReason = (typeof missingReasons)[number];
export type KeptValues = Readonly<z.infer<typeof keptValuesSchema>>;
export type ActivityValues = Readonly<z.infer<typeof activityValuesSchema>>;
export type RecordHistoryQuery = Readonly<z.infer<typeof recordHistoryQuerySchema>>;
export type RecordedWrite = Readonly<z.infer<typeof recordedWriteSchema>>;
export type RecordHistory = Readonly<z.infer<typeof recordHistorySchema>>;
export type ShownHistory = Readonly<z.infer<typeof shownHistorySchema>>;
export type UndoTies = Readonly<z.infer<typeof undoTiesSchema>>;
export type ShownWrite = ShownHistory['writes'][number];
