import * as z from 'zod';
import { roleSchema } from '../people.ts';
import { changeRoleSchema, factorListSchema, renameFactorSchema } from '../second-factor.ts';
import type { Operation } from './operation.ts';

const idPath = z.strictObject({ id: z.coerce.number<string>().pipe(z.number().int().positive()) });
const namePath = z.strictObject({ name: z.string() });
const byPerson = { credential: 'userToken' } as const;

/** What people sign in with beside a password, and who has to. */
export const secondFactorOperations: readonly Operation[] = [
  {
    ...byPerson,
    id: 'listFactors',
    method: 'get',
    path: '/api/me/factors',
    summary: 'One’s own second factors.',
    answers: { 200: factorListSchema },
  },
  {
    ...byPerson,
    id: 'renameFactor',
    method: 'patch',
    path: '/api/me/factors/{id}',
    summary: 'Give one of one’s own second factors another name.',
    params: idPath,
    body: renameFactorSchema,
    answers: { 200: factorListSchema },
  },
  {
    ...byPerson,
    id: 'removeFactor',
    method: 'delete',
    path: '/api/me/factors/{id}',
    summary: 'Remove one of one’s own second factors, within ten minutes of the sign-in.',
    params: idPath,
    answers: { 204: 'nothing' },
  },
  {
    ...byPerson,
    id: 'listFactorsOfPerson',
    method: 'get',
    path: '/api/people/{id}/factors',
    summary: 'The second factors of a member.',
    params: idPath,
    answers: { 200: factorListSchema },
  },
  {
    ...byPerson,
    id: 'resetFactorsOfPerson',
    method: 'delete',
    path: '/api/people/{id}/factors',
    summary: 'Remove all second factors of another member, and end everything that the member is signed in with.',
    params: idPath,
    answers: { 204: 'nothing' },
  },
  {
    ...byPerson,
    id: 'changeRole',
    method: 'patch',
    path: '/api/roles/{name}',
    summary: 'Say whether the people of a role need a second factor.',
    params: namePath,
    body: changeRoleSchema,
    answers: { 200: roleSchema },
  },
];
