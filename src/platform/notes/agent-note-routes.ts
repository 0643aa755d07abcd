import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import {
  filedNoteSchema,
  fileEditSchema,
  fileMessageSchema,
  fileNoteSchema,
  fileReadingSchema,
  readRecordNotesSchema,
} from '#contracts/notes';
import type { Guards } from '../access/guards.ts';
import { idempotencyKeyOf } from '../server/idempotency.ts';
import { parseInput } from '../server/parse-input.ts';
import type { NoteCall, NoteService } from './note-service.ts';
import type { PersonNotes } from './person-notes.ts';

const personPath = z.strictObject({ personId: z.coerce.number().int().positive() });
const noQuery = z.strictObject({});
const notePath = z.strictObject({ id: z.coerce.number().int().positive() });

interface About {
  readonly personId: number;
  readonly collection: string;
  readonly recordId: string;
  readonly mentionable?: readonly number[];
}

/** The notes that people see, for the agents that stand between: `#contracts/notes`. */
export function registerAgentNotes(
  server: FastifyInstance,
  guards: Guards,
  { notes, reading }: { readonly notes: NoteService; readonly reading: PersonNotes },
): void {
  const { check: onRequest, of: environmentOf } = guards.environment;
  const idOf = (request: FastifyRequest) => parseInput(notePath, request.params).id;
  const readerOf = (request: FastifyRequest, personId: number) => ({ environment: environmentOf(request), personId });
  const callOf = (request: FastifyRequest, { personId, collection, recordId, mentionable = [] }: About): NoteCall => ({
    caller: { user: { id: personId }, tokenId: undefined, subject: `person ${personId}` },
    environment: environmentOf(request),
    visit: { collection, recordId, mentionable },
  });
  server.get('/agent/v1/people/:personId/notes', { onRequest }, async (request) => {
    const { personId } = parseInput(personPath, request.params);
    const { collection, recordId, ...page } = parseInput(readRecordNotesSchema, request.query);
    return reading.list(readerOf(request, personId), { collection, recordId }, page);
  });
  server.get('/agent/v1/people/:personId/inbox', { onRequest }, async (request) => {
    parseInput(noQuery, request.query);
    return reading.inbox(readerOf(request, parseInput(personPath, request.params).personId));
  });
  server.post('/agent/v1/notes', { onRequest }, async (request, reply) => {
    const { title, content, ...about } = parseInput(fileNoteSchema, request.body);
    const { collection: collectionName, recordId } = about;
    const input = { collectionName, recordId, title, content };
    const { body } = await notes.create(callOf(request, about), input, idempotencyKeyOf(request));
    return reply.code(201).send(filedNoteSchema.parse(body));
  });
  server.post('/agent/v1/notes/:id/messages', { onRequest }, async (request, reply) => {
    const { content, ...about } = parseInput(fileMessageSchema, request.body);
    await notes.reply(callOf(request, about), idOf(request), { content }, idempotencyKeyOf(request));
    return reply.code(204).send();
  });
  server.patch('/agent/v1/notes/:id', { onRequest }, async (request, reply) => {
    const { revision, title, archived, ...about } = parseInput(fileEditSchema, request.body);
    const seen = { includes: (etag: string) => etag === `"${revision}"` };
    await notes.change(callOf(request, about), idOf(request), { title, archived }, seen);
    return reply.code(204).send();
  });
  server.put('/agent/v1/notes/:id/reading', { onRequest }, async (request, reply) => {
    const { number, personId, collection, recordId } = parseInput(fileReadingSchema, request.body);
    const visit = { collection, recordId, mentionable: [] };
    await reading.markRead(readerOf(request, personId), visit, idOf(request), number);
    return reply.code(204).send();
  });
}
