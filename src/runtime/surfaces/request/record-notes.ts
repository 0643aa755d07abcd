import type { AgentTokenClaims } from '#contracts/agent-token';
import {
  type BeginNote,
  type EditNote,
  type FiledNote,
  type Inbox,
  type InboxNote,
  type Mentionable,
  maxMentions,
  mentionsIn,
  type NotesPage,
  type Reading,
  type RecordNotes as RecordNotePage,
  type Reply,
} from '#contracts/notes';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Random } from '#kernel/ports/random';
import { fullNameOf } from '#kernel/text/full-name';
import type { RecordNoteClient } from '#platform-client/index';
import { type CompiledCollection, findCollection } from '../../model/compiled-model.ts';
import { recordNotFound } from '../../model/record-id.ts';
import type { CallContext } from '../../records/calls/call-context.ts';
import { type AgentState, stateFor } from './agent-state.ts';

/** The part of the platform that keeps notes, and knows people. */
export interface NotePlatform {
  readonly recordNotes: RecordNoteClient;
  /** A member of the project; `undefined` for anybody else. */
  person(id: number): Promise<AgentTokenClaims | undefined>;
}

/** Somebody who reads notes, or writes one. */
export interface NoteCall {
  /** What they are answered with. */
  readonly state: AgentState;
  /** What all callers share, for the rights of somebody who is mentioned. */
  readonly served: AgentState;
  readonly context: CallContext;
}

interface NotedRecord {
  readonly collection: CompiledCollection;
  /** Packed. */
  readonly id: string;
}

/**
 * Notes on records, for people who may read the record. Each method asks for the right to read the collection, and rejects with
 * `REQUEST_NOT_FOUND` for a record that the caller does not see. Programs use the public API: they get `REQUEST_FORBIDDEN`.
 */
export interface RecordNotes {
  list(record: NotedRecord, page: NotesPage, call: NoteCall): Promise<RecordNotePage>;
  /** Rejects with `NOTE_MENTION_REFUSED` for a mention of somebody who may not read the record. */
  begin(record: NotedRecord, note: BeginNote, key: string | undefined, call: NoteCall): Promise<FiledNote>;
  /** The same of a message in a note. */
  reply(record: NotedRecord, note: number, reply: Reply, key: string | undefined, call: NoteCall): Promise<void>;
  /** Rejects with `REQUEST_CONFLICT` for a note that somebody else has changed. */
  edit(record: NotedRecord, note: number, edit: EditNote, call: NoteCall): Promise<void>;
  markRead(record: NotedRecord, note: number, reading: Reading, call: NoteCall): Promise<void>;
  /** Other people who may read the record, and whose names fit. */
  mentionable(record: NotedRecord, search: string, call: NoteCall): Promise<Mentionable>;
  /** The notes that concern the caller, on records that they may read. */
  inbox(call: NoteCall): Promise<Inbox>;
}

export interface RecordNoteParts {
  readonly platform: NotePlatform;
  readonly random: Random;
}

const mostSuggested = 8;

export class PlatformNotes implements RecordNotes {
  readonly #platform: NotePlatform;
  readonly #random: Random;

  constructor({ platform, random }: RecordNoteParts) {
    this.#platform = platform;
    this.#random = random;
  }

  async list(record: NotedRecord, page: NotesPage, call: NoteCall): Promise<RecordNotePage> {
    const { personId, ...about } = await requireReader(record, call);
    return told(this.#platform.recordNotes.list(personId, { ...about, ...page }));
  }

  async begin(record: NotedRecord, note: BeginNote, key: string | undefined, call: NoteCall): Promise<FiledNote> {
    const about = await requireReader(record, call);
    const mentionable = await this.#requireReaders(record, note, call);
    return told(this.#platform.recordNotes.begin({ ...about, ...note, mentionable }, key ?? this.#random.uuid()));
  }

  async reply(record: NotedRecord, note: number, reply: Reply, key: string | undefined, call: NoteCall): Promise<void> {
    const about = await requireReader(record, call);
    const mentionable = await this.#requireReaders(record, reply, call);
    const message = { ...about, ...reply, mentionable };
    await told(this.#platform.recordNotes.reply(note, message, key ?? this.#random.uuid()));
  }

  async edit(record: NotedRecord, note: number, edit: EditNote, call: NoteCall): Promise<void> {
    const about = await requireReader(record, call);
    await told(this.#platform.recordNotes.edit(note, { ...about, ...edit }));
  }

  async markRead(record: NotedRecord, note: number, reading: Reading, call: NoteCall): Promise<void> {
    const about = await requireReader(record, call);
    await told(this.#platform.recordNotes.markRead(note, { ...about, ...reading }));
  }

  async mentionable(record: NotedRecord, search: string, call: NoteCall): Promise<Mentionable> {
    const { personId } = await requireReader(record, call);
    const { people } = await told(this.#platform.recordNotes.findPeople(search));
    const others = people.filter(({ id }) => id !== personId);
    const areReaders = await Promise.all(others.map((person) => isReader(person, record, call)));
    const readers = others.filter((_person, index) => areReaders[index]).slice(0, mostSuggested);
    return { people: readers.map((person) => ({ id: person.id, name: fullNameOf(person), team: person.team })) };
  }

  async inbox(call: NoteCall): Promise<Inbox> {
    const { notes } = await told(this.#platform.recordNotes.inbox(personIn(call)));
    const byCollection = Map.groupBy(notes, ({ collection }) => collection);
    const seen = await Promise.all([...byCollection].map(([name, all]) => onReadable(name, all, call)));
    const ids = new Set(seen.flat());
    return { notes: notes.filter(({ id }) => ids.has(id)) };
  }

  /** The people that a message mentions. Each of them may read the record. */
  async #requireReaders(record: NotedRecord, { content }: Reply, call: NoteCall): Promise<number[]> {
    const ids = mentionsIn(content);
    if (ids.length > maxMentions) {
      throw invalidRequest(`A message mentions ${maxMentions} people at most.`, 'Write several messages.');
    }
    const areReaders = await Promise.all(
      ids.map(async (id) => {
        const person = await this.#platform.person(id);
        return person !== undefined && isReader(person, record, call);
      }),
    );
    const refused = ids.filter((_id, index) => !areReaders[index]);
    if (refused.length > 0) throw mentionRefused(refused, namesMentioned(content));
    return [...ids];
  }
}

/** What the platform learns about a call: the person, and the record that they may read. */
async function requireReader({ collection, id }: NotedRecord, call: NoteCall) {
  const personId = personIn(call);
  const readable = await call.state.recordService.readable(collection.name, [id], call.context);
  if (!readable.has(id)) throw recordNotFound(collection);
  return { personId, collection: collection.name, recordId: id };
}

function personIn({ context }: NoteCall): number {
  const { id, client } = context.caller;
  if (!client) return id;
  throw cloudError(
    'REQUEST_FORBIDDEN',
    'These routes are for people. A program reads and writes notes through the public API.',
    'Use /v1/project/<project>/environment/<environment>/notes with an API token.',
  );
}

/** Whether somebody else may read the record, by the rights that they have now. */
async function isReader(
  claims: AgentTokenClaims,
  { collection, id }: NotedRecord,
  { served, context }: NoteCall,
): Promise<boolean> {
  const state = await stateFor(served, claims);
  const { timezone, requestId } = context.caller;
  const caller = { ...claims, ...state.authoriser.namesOf(claims), timezone, requestId };
  return (await readableBy(state, collection.name, [id], { ...context, caller })).has(id);
}

/** Ids of the notes of an inbox that are on records which the caller may read. */
async function onReadable(
  name: string,
  notes: readonly InboxNote[],
  { state, context }: NoteCall,
): Promise<readonly number[]> {
  if (!findCollection(state.model, name)) return [];
  const readable = await readableBy(
    state,
    name,
    notes.map(({ recordId }) => recordId),
    context,
  );
  return notes.filter(({ recordId }) => readable.has(recordId)).map(({ id }) => id);
}

/** As `readable`. Nothing is readable for who has no right to. */
async function readableBy(
  { recordService }: AgentState,
  collection: string,
  ids: readonly string[],
  context: CallContext,
): Promise<ReadonlySet<string>> {
  try {
    return await recordService.readable(collection, ids, context);
  } catch (error) {
    if (isCloudError(error) && error.code === 'REQUEST_FORBIDDEN') return new Set();
    throw error;
  }
}

const refusals: Readonly<Record<number, () => CloudError>> = {
  400: notTaken,
  403: notTheirs,
  404: noSuchNote,
  409: conflict,
  412: conflict,
  422: notTaken,
};

/** What the platform answers. A refusal gets words for the person: the address of the platform does not concern them. */
async function told<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const status = isCloudError(error) ? error.safeDetails['status'] : undefined;
    throw (typeof status === 'number' ? refusals[status]?.() : undefined) ?? error;
  }
}

function notTaken(): CloudError {
  return invalidRequest(
    'The platform does not take the note: nothing is left of its content, or its collection is not known there yet.',
    'Write text, or try again in a moment.',
  );
}

function notTheirs(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'Only who began a note, and administrators, change its title and archive it.',
    'Write a message in it instead.',
  );
}

function noSuchNote(): CloudError {
  return cloudError('REQUEST_NOT_FOUND', 'There is no such note on the record.', 'Read the notes of the record again.');
}

function conflict(): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    'Nothing was written: the note is archived, has no room for another message, or was changed by somebody else.',
    'Read the note again.',
  );
}

/** What the message calls the people that it mentions. */
function namesMentioned(content: string): ReadonlyMap<number, string> {
  const mentions = content.matchAll(/<mention user="(\d{1,15})">@?([^<]{1,100})</g);
  return new Map([...mentions].map(([, id, name = '']) => [Number(id), name]));
}

function mentionRefused(ids: readonly number[], names: ReadonlyMap<number, string>): CloudError {
  const who = ids.map((id) => names.get(id) ?? `the person ${id}`).join(', ');
  return cloudError(
    'NOTE_MENTION_REFUSED',
    `Nothing was written: the message mentions ${who}, who may not read this record.`,
    'Take the mention out, or have an administrator give the right to read.',
    { details: { personIds: ids } },
  );
}
