import {
  changeNoteSchema,
  createMessageSchema,
  createNoteSchema,
  noteMessageSchema,
  notePageSchema,
  noteSchema,
  notesEcho,
  notesQuery,
} from './notes.ts';
import type { PublicOperation } from './operation.ts';

const notesPath = '/v1/project/{projectName}/environment/{environmentName}/notes';

const idempotencyKey = {
  'Idempotency-Key': {
    isRequired: false,
    description: 'The same request with the same key, sent again within 24 hours, has no second effect.',
  },
};

/** Notes on records. */
export const noteOperations: readonly PublicOperation[] = [
  {
    id: 'listNotes',
    method: 'get',
    path: notesPath,
    summary: 'A page of notes, the newest first.',
    scope: 'notes:read',
    query: notesQuery,
    answer: notePageSchema.extend({ parameters: notesEcho }),
  },
  {
    id: 'getNote',
    method: 'get',
    path: `${notesPath}/{id}`,
    summary: 'One note.',
    scope: 'notes:read',
    answer: noteSchema,
    isTagged: true,
  },
  {
    id: 'createNote',
    method: 'post',
    path: notesPath,
    summary: 'Write a note on a record.',
    scope: 'notes:write',
    headers: idempotencyKey,
    body: createNoteSchema,
    status: 201,
    answer: noteSchema,
    isTagged: true,
  },
  {
    id: 'createNoteMessage',
    method: 'post',
    path: `${notesPath}/{id}/messages`,
    summary: 'Reply to a note.',
    scope: 'notes:write',
    headers: idempotencyKey,
    body: createMessageSchema,
    status: 201,
    answer: noteMessageSchema,
  },
  {
    id: 'changeNote',
    method: 'patch',
    path: `${notesPath}/{id}`,
    summary: 'Rename, archive or reopen a note.',
    scope: 'notes:write',
    headers: { 'If-Match': { isRequired: true, description: 'The ETag of the note as it was read.' } },
    body: changeNoteSchema,
    answer: noteSchema,
    isTagged: true,
  },
];
