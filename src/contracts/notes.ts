import * as z from 'zod';
import { agentTokenClaimsSchema } from './agent-token.ts';
import { keptText } from './kept-text.ts';

/**
 * Notes on records, as people work with them. The platform keeps notes and sees no records. So an agent stands between: it looks whether the
 * person may read the record, and asks the platform with its secret. Programs use `#contracts/public-api/notes`.
 *
 * | request at the agent | what it does |
 * |---|---|
 * | `GET /_internal/notes` | `inboxSchema`: notes that concern the person |
 * | `GET /_internal/notes/<collection>/<id>?before=&limit=` | `recordNotesSchema` |
 * | `POST /_internal/notes/<collection>/<id>`, `beginNoteSchema` | 201 `{ "id" }` |
 * | `POST /_internal/notes/<collection>/<id>/<note>/messages`, `replySchema` | 204 |
 * | `PUT /_internal/notes/<collection>/<id>/<note>`, `editNoteSchema` | 204 |
 * | `PUT /_internal/notes/<collection>/<id>/<note>/reading`, `readingSchema` | 204 |
 * | `GET /_internal/notes/<collection>/<id>/people?search=` | `mentionableSchema` |
 */

/** Largest content of a message, in bytes of UTF-8. */
export const maxContentBytes = 64 * 1024;
/** How many people one message mentions at most. */
export const maxMentions = 20;
/** How many notes an inbox holds at most. */
export const maxInboxNotes = 200;
const maxNotesOfPage = 50;
const longestTitle = 255;

export const noteTitleSchema = keptText
  .trim()
  .min(1, 'a title of at least one character')
  .max(longestTitle, `at most ${longestTitle} characters`);
const name = keptText.min(1).max(512);
const recordId = keptText.min(1).max(4_096);
const personId = z.int().positive();
const numberInQuery = z.coerce.number<string>().pipe(z.int().nonnegative());
const content = keptText
  .min(1)
  .refine((text) => new TextEncoder().encode(text).length <= maxContentBytes, `at most ${maxContentBytes} bytes`);

/** Names only: who may read a record need not know the addresses of others. */
const writer = z.object({ id: z.int(), name: z.string() });

const noteForPersonSchema = z.object({
  id: z.int(),
  title: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  archivedAt: z.iso.datetime().nullable(),
  /** Counts the changes of the note. */
  revision: z.int(),
  user: writer,
  /** The oldest first. Their content is HTML of a few elements, with `<mention user="7">@Ada Lovelace</mention>`. */
  messages: z.array(z.object({ number: z.int(), content: z.string(), createdAt: z.iso.datetime(), user: writer })),
  /** The newest message that the person has read; `null` where the note does not concern them. */
  readTo: z.int().nullable(),
  /** Whether the person may change the title, and archive. */
  mayChange: z.boolean(),
});

/** A page of the notes on a record, the newest first. */
export const recordNotesSchema = z.object({
  notes: z.array(noteForPersonSchema),
  /** How many notes on the record are not archived. */
  open: z.int(),
  /** How many of those have a message that the person has not read, and that concerns them. */
  unread: z.int(),
  /** What to ask for next as `before`; `null` at the end. */
  next: z.int().nullable(),
});

const inboxNoteSchema = z.object({
  id: z.int(),
  title: z.string(),
  collection: z.string(),
  recordId: z.string(),
  updatedAt: z.iso.datetime(),
  /** Who wrote last. */
  user: writer,
  /** The number of the newest message. */
  last: z.int(),
  /** How many messages the person has not read. */
  unread: z.int(),
  /** Whether one of those mentions the person. */
  isMentioned: z.boolean(),
});

/** Notes that the person has written in, or is mentioned in: those with news first, then the newest. */
export const inboxSchema = z.object({ notes: z.array(inboxNoteSchema) });

/** The people who may read a record, and whose names fit what somebody types. */
export const mentionableSchema = z.object({
  people: z.array(z.object({ id: z.int(), name: z.string(), team: z.string() })),
});

/** Without notes, `limit=0` asks how many there are. */
export const notesPageSchema = z.strictObject({
  before: numberInQuery.optional(),
  limit: numberInQuery.pipe(z.int().max(maxNotesOfPage)).default(20),
});

export const beginNoteSchema = z.strictObject({ title: noteTitleSchema, content });
export const replySchema = z.strictObject({ content });
export const editNoteSchema = z
  .strictObject({ revision: z.int().positive(), title: noteTitleSchema.optional(), archived: z.boolean().optional() })
  .refine(({ title, archived }) => title !== undefined || archived !== undefined, 'nothing to change');
export const readingSchema = z.strictObject({ number: z.int().positive() });

/** What an agent names beside it: the record, which the person may read, and the person. */
const about = { personId, collection: name, recordId };
/** People that the message mentions, and who may read the record. */
const mentionable = z.array(personId).max(maxMentions);

/** `GET /agent/v1/people/<id>/notes`. The inbox is at `GET /agent/v1/people/<id>/inbox`. */
export const readRecordNotesSchema = notesPageSchema.extend({ collection: name, recordId });
/** `POST /agent/v1/notes`, header `idempotency-key` */
export const fileNoteSchema = beginNoteSchema.extend({ ...about, mentionable });
export const filedNoteSchema = z.object({ id: z.int() });
/** `POST /agent/v1/notes/<id>/messages`, header `idempotency-key` */
export const fileMessageSchema = replySchema.extend({ ...about, mentionable });
/** `PATCH /agent/v1/notes/<id>` */
export const fileEditSchema = editNoteSchema.safeExtend(about);
/** `PUT /agent/v1/notes/<id>/reading` */
export const fileReadingSchema = readingSchema.extend(about);
/** `GET /agent/v1/people?search=`: 20 members of the project at most. */
export const findPeopleSchema = z.strictObject({ search: keptText.max(100).default('') });
export const foundPeopleSchema = z.object({ people: z.array(agentTokenClaimsSchema) });

/** The ids of the people that sanitized content mentions, each once. */
export function mentionsIn(content: string): readonly number[] {
  return [...new Set([...content.matchAll(/<mention user="(\d{1,15})">/g)].map(([, id]) => Number(id)))];
}

export type NoteForPerson = Readonly<z.output<typeof noteForPersonSchema>>;
export type RecordNotes = Readonly<z.output<typeof recordNotesSchema>>;
export type InboxNote = Readonly<z.output<typeof inboxNoteSchema>>;
export type Inbox = Readonly<z.output<typeof inboxSchema>>;
export type Mentionable = Readonly<z.output<typeof mentionableSchema>>;
export type NotesPage = Readonly<z.output<typeof notesPageSchema>>;
export type BeginNote = Readonly<z.output<typeof beginNoteSchema>>;
export type Reply = Readonly<z.output<typeof replySchema>>;
export type EditNote = Readonly<z.output<typeof editNoteSchema>>;
export type Reading = Readonly<z.output<typeof readingSchema>>;
export type FiledNote = Readonly<z.output<typeof filedNoteSchema>>;
export type FoundPeople = Readonly<z.output<typeof foundPeopleSchema>>;
