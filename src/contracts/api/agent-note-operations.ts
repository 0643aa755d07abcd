import * as z from 'zod';
import {
  filedNoteSchema,
  fileEditSchema,
  fileMessageSchema,
  fileNoteSchema,
  fileReadingSchema,
  findPeopleSchema,
  foundPeopleSchema,
  inboxSchema,
  readRecordNotesSchema,
  recordNotesSchema,
} from '../notes.ts';
import type { Operation } from './operation.ts';

const notePath = z.strictObject({ id: z.coerce.number<string>().pipe(z.number().int().positive()) });
const personPath = z.strictObject({ personId: z.coerce.number<string>().pipe(z.number().int().positive()) });
const byAgent = { credential: 'envSecret' } as const;

/** What agents ask about notes for people who may read the records. */
export const agentNoteOperations: readonly Operation[] = [
  {
    ...byAgent,
    id: 'readRecordNotes',
    method: 'get',
    path: '/agent/v1/people/{personId}/notes',
    summary: 'The notes on a record, as somebody sees them who may read it.',
    params: personPath,
    query: readRecordNotesSchema,
    answers: { 200: recordNotesSchema },
  },
  {
    ...byAgent,
    id: 'readInbox',
    method: 'get',
    path: '/agent/v1/people/{personId}/inbox',
    summary: 'The notes that concern somebody. The agent leaves out those on records that they may not read.',
    params: personPath,
    answers: { 200: inboxSchema },
  },
  {
    ...byAgent,
    id: 'fileNote',
    method: 'post',
    path: '/agent/v1/notes',
    summary: 'Begin a note for somebody on a record that they may read.',
    body: fileNoteSchema,
    answers: { 201: filedNoteSchema },
  },
  {
    ...byAgent,
    id: 'fileNoteMessage',
    method: 'post',
    path: '/agent/v1/notes/{id}/messages',
    summary: 'Reply to a note for somebody.',
    params: notePath,
    body: fileMessageSchema,
    answers: { 204: 'nothing' },
  },
  {
    ...byAgent,
    id: 'editNote',
    method: 'patch',
    path: '/agent/v1/notes/{id}',
    summary: 'Rename, archive or reopen a note for somebody who began it, or an administrator.',
    params: notePath,
    body: fileEditSchema,
    answers: { 204: 'nothing' },
  },
  {
    ...byAgent,
    id: 'markNoteRead',
    method: 'put',
    path: '/agent/v1/notes/{id}/reading',
    summary: 'Say how far somebody has read a note.',
    params: notePath,
    body: fileReadingSchema,
    answers: { 204: 'nothing' },
  },
  {
    ...byAgent,
    id: 'findPeople',
    method: 'get',
    path: '/agent/v1/people',
    summary: 'Members of the project by name, 20 at most, as tokens of agents name them.',
    query: findPeopleSchema,
    answers: { 200: foundPeopleSchema },
  },
];
