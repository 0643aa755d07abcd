import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import {
  changeNoteSchema,
  createMessageSchema,
  createNoteSchema,
  type Note,
  notesQuery,
} from '#contracts/public-api/notes';
import { idParameter } from '#contracts/public-api/parameters';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { Guards } from '../access/guards.ts';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import { echoed, rangeOf } from '../log-api/log-parameters.ts';
import type { Cursors } from '../public-api/cursor.ts';
import { seenStateOf } from '../public-api/if-match.ts';
import { readPage } from '../public-api/list-page.ts';
import type { PublicApi } from '../public-api/public-api.ts';
import { createKnownCollections } from '../schemas/known-collections.ts';
import type { SchemaRepository } from '../schemas/schemas.ts';
import { idempotencyKeyOf, sendOnce } from '../server/idempotency.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';
import { registerAgentNotes } from './agent-note-routes.ts';
import type { NoteFilter } from './note-repository.ts';
import { createNoteService, type NoteCall, type NoteService, type NoteWithTag } from './note-service.ts';
import { createPersonNotes } from './person-notes.ts';

const listPath = '/project/:projectName/environment/:environmentName/notes';
const notePath = `${listPath}/:id` as const;
const noteParameters = z.object({ id: idParameter });

/** The routes of `#contracts/public-api/notes`. */
function addNoteRoutes(api: PublicApi, notes: NoteService, cursors: Cursors): void {
  const idOf = (request: FastifyRequest) => parseInput(noteParameters, request.params).id;
  const [read, write] = ['notes:read', 'notes:write'] as const;
  api.add({
    method: 'GET',
    path: listPath,
    scope: read,
    handle: (call, request, reply) => list(notes, cursors, call, request, reply),
  });
  api.add({
    method: 'GET',
    path: notePath,
    scope: read,
    handle: async (call, request, reply) => tagged(reply, await notes.find(call, idOf(request))),
  });
  api.add({
    method: 'POST',
    path: listPath,
    scope: write,
    handle: async (call, request, reply) => {
      const input = parseInput(createNoteSchema, request.body);
      return sendOnce(reply, await notes.create(call, input, idempotencyKeyOf(request)));
    },
  });
  api.add({
    method: 'POST',
    path: `${notePath}/messages`,
    scope: write,
    handle: async (call, request, reply) => {
      const input = parseInput(createMessageSchema, request.body);
      return sendOnce(reply, await notes.reply(call, idOf(request), input, idempotencyKeyOf(request)));
    },
  });
  api.add({
    method: 'PATCH',
    path: notePath,
    scope: write,
    handle: async (call, request, reply) => {
      const seen = seenStateOf(request);
      const change = parseInput(changeNoteSchema, request.body);
      return tagged(reply, await notes.change(call, idOf(request), change, seen));
    },
  });
}

async function list(
  notes: NoteService,
  cursors: Cursors,
  call: NoteCall,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const query = parseInput(notesQuery, request.query);
  const { userId, userEmail, teamName: team, collectionName: collection, recordId, limit } = query;
  const filter: NoteFilter = {
    userId,
    userEmail,
    team,
    collection,
    recordId,
    createdAt: rangeOf(query, 'createdAt'),
    updatedAt: rangeOf(query, 'updatedAt'),
    archivedAt: rangeOf(query, 'archivedAt'),
  };
  const { rows, hasMore, ...page } = await readPage<Note>(request, reply, {
    list: `notes of environment ${call.environment.id}`,
    query,
    defaultOrder: 'desc',
    cursors,
    positionOf: ({ id }) => id,
    read: ({ direction, after }) => notes.list(call, filter, { limit, direction, after }),
  });
  const place = { projectName: call.environment.projectName, environmentName: call.environment.name };
  return { hasMore, data: rows, parameters: echoed(place, query), ...page };
}

function tagged(reply: FastifyReply, { note, etag }: NoteWithTag): Note {
  reply.header('etag', etag);
  return note;
}

interface NoteServices {
  readonly guards: Guards;
  readonly api: PublicApi;
  readonly cursors: Cursors;
  readonly identity: IdentityRepository;
  readonly schemas: SchemaRepository;
}

/** Notes on records: in the public API, and for agents that ask for people. */
export function registerNotes(
  server: FastifyInstance,
  store: Store,
  { guards, api, cursors, identity, schemas }: NoteServices,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): void {
  const collections = createKnownCollections(schemas);
  const notes = createNoteService({ store, identity, collections, clock, random });
  addNoteRoutes(api, notes, cursors);
  registerAgentNotes(server, guards, { notes, reading: createPersonNotes({ store, identity }) });
}
