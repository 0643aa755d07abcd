import * as z from 'zod';
import { companySignOnSchema } from '../company-sign-on.ts';
import { groupListSchema, groupNameSchema, mapGroupSchema } from '../groups.ts';
import { createScimTokenSchema, newScimTokenSchema, scimTokenListSchema } from '../scim-tokens.ts';
import type { Operation } from './operation.ts';

const idPath = z.strictObject({ id: z.coerce.number<string>().pipe(z.number().int().positive()) });
const groupPath = z.strictObject({ name: groupNameSchema });
const byPerson = { credential: 'userToken' } as const;

/** How people of the company sign in, what its groups give, and the tokens with which it provisions people. */
export const provisioningOperations: readonly Operation[] = [
  {
    ...byPerson,
    id: 'readCompanySignOn',
    method: 'get',
    path: '/api/company-sign-on',
    summary: 'How people sign in with the accounts of their company.',
    answers: { 200: companySignOnSchema },
  },
  {
    ...byPerson,
    id: 'listGroups',
    method: 'get',
    path: '/api/groups',
    summary: 'What the groups of the company give in the project.',
    answers: { 200: groupListSchema },
  },
  {
    ...byPerson,
    id: 'mapGroup',
    method: 'put',
    path: '/api/groups/{name}',
    summary: 'Say what a group of the company gives in the project.',
    params: groupPath,
    body: mapGroupSchema,
    answers: { 200: groupListSchema },
  },
  {
    ...byPerson,
    id: 'unmapGroup',
    method: 'delete',
    path: '/api/groups/{name}',
    summary: 'Take away what a group gives.',
    params: groupPath,
    answers: { 204: 'nothing' },
  },
  {
    ...byPerson,
    id: 'listScimTokens',
    method: 'get',
    path: '/api/scim-tokens',
    summary: 'The tokens with which the company provisions people.',
    answers: { 200: scimTokenListSchema },
  },
  {
    ...byPerson,
    id: 'createScimToken',
    method: 'post',
    path: '/api/scim-tokens',
    summary: 'Make such a token; the answer alone has it.',
    body: createScimTokenSchema,
    answers: { 201: newScimTokenSchema },
  },
  {
    ...byPerson,
    id: 'revokeScimToken',
    method: 'delete',
    path: '/api/scim-tokens/{id}',
    summary: 'End such a token at once.',
    params: idPath,
    answers: { 204: 'nothing' },
  },
];
