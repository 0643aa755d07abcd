import type * as z from 'zod';
import {
  beginNoteSchema,
  editNoteSchema,
  findPeopleSchema,
  notesPageSchema,
  readingSchema,
  replySchema,
} from '#contracts/notes';
import { invalidRequest } from '#kernel/errors/request-errors';
import { requireKey } from '../../../model/record-id.ts';
import { memberOf } from '../../request/request-bodies.ts';
import { PathUnknown, type Route, type RouteCall } from '../call/route.ts';

const recordPath = '/_internal/notes/:collection/:id';
const notePath = `${recordPath}/:note`;

/** The notes that concern the caller. */
const inboxRoute: Route = {
  method: 'GET',
  path: '/_internal/notes',
  answer: async (call) => ({ status: 200, body: await call.notes.inbox(noteCall(call)) }),
};

const listRoute: Route = {
  method: 'GET',
  path: recordPath,
  answer: async (call) => {
    const { before, limit } = call.query;
    const page = read(notesPageSchema, { before, limit });
    return { status: 200, body: await call.notes.list(recordOf(call), page, noteCall(call)) };
  },
};

const beginRoute: Route = {
  method: 'POST',
  path: recordPath,
  answer: async (call) => {
    const note = read(beginNoteSchema, attributesOf(call));
    return { status: 201, body: await call.notes.begin(recordOf(call), note, keyOf(call), noteCall(call)) };
  },
};

/** People to mention. */
const peopleRoute: Route = {
  method: 'GET',
  path: `${recordPath}/people`,
  answer: async (call) => {
    const { search } = read(findPeopleSchema, { search: call.query['search'] });
    return { status: 200, body: await call.notes.mentionable(recordOf(call), search, noteCall(call)) };
  },
};

const replyRoute: Route = {
  method: 'POST',
  path: `${notePath}/messages`,
  answer: async (call) => {
    const reply = read(replySchema, attributesOf(call));
    await call.notes.reply(recordOf(call), noteOf(call), reply, keyOf(call), noteCall(call));
    return { status: 204 };
  },
};

/** Change the title, archive, or take out of the archive. */
const editRoute: Route = {
  method: 'PUT',
  path: notePath,
  answer: async (call) => {
    const edit = read(editNoteSchema, attributesOf(call));
    await call.notes.edit(recordOf(call), noteOf(call), edit, noteCall(call));
    return { status: 204 };
  },
};

const readingRoute: Route = {
  method: 'PUT',
  path: `${notePath}/reading`,
  answer: async (call) => {
    const reading = read(readingSchema, attributesOf(call));
    await call.notes.markRead(recordOf(call), noteOf(call), reading, noteCall(call));
    return { status: 204 };
  },
};

export const noteRoutes: readonly Route[] = [
  inboxRoute,
  listRoute,
  beginRoute,
  peopleRoute,
  replyRoute,
  editRoute,
  readingRoute,
];

function noteCall(call: RouteCall) {
  return { state: call.state, served: call.served, context: call.context('UTC') };
}

function recordOf(call: RouteCall) {
  const collection = call.collection();
  requireKey(collection);
  return { collection, id: call.params['id'] ?? '' };
}

function noteOf({ params }: RouteCall): number {
  const { note = '' } = params;
  if (!/^[1-9]\d{0,14}$/.test(note)) throw new PathUnknown();
  return Number(note);
}

function attributesOf({ body }: RouteCall): unknown {
  return memberOf(memberOf(body, 'data'), 'attributes');
}

/** What makes a request repeatable; `undefined` where it names none. */
function keyOf({ headers }: RouteCall): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidRequest(
    'The header "Idempotency-Key" is not valid.',
    'Send 1 to 255 visible ASCII characters once, such as a UUID.',
  );
}

function read<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(input);
  if (!error) return data;
  const [issue] = error.issues;
  const place = issue?.path.join('.') ?? '';
  throw invalidRequest(
    `The request is not valid${place === '' ? '' : ` at "${place}"`}: ${issue?.message ?? 'unknown'}.`,
    'Send data.attributes with what docs/notes.md names.',
  );
}
