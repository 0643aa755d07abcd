import * as z from 'zod';
import {
  apiTokenListSchema,
  apiTokenWithSecretSchema,
  createApiTokenSchema,
  rotateApiTokenSchema,
} from '../api-tokens.ts';
import type { Operation } from './operation.ts';

const byPerson = { credential: 'userToken' } as const;
const projectPath = z.object({ project: z.string() });
const tokenPath = projectPath.extend({ id: z.coerce.number().int().positive() });

/** The tokens of programs, which administrators manage. */
export const apiTokenOperations: readonly Operation[] = [
  {
    ...byPerson,
    id: 'listApiTokens',
    method: 'get',
    path: '/api/projects/{project}/tokens',
    summary: 'The tokens with which programs use the public API; active ones first.',
    params: projectPath,
    answers: { 200: apiTokenListSchema },
  },
  {
    ...byPerson,
    id: 'createApiToken',
    method: 'post',
    path: '/api/projects/{project}/tokens',
    summary: 'Make a token. The answer is the only place that shows its secret. Takes the header Idempotency-Key.',
    params: projectPath,
    body: createApiTokenSchema,
    answers: { 201: apiTokenWithSecretSchema },
  },
  {
    ...byPerson,
    id: 'rotateApiToken',
    method: 'post',
    path: '/api/projects/{project}/tokens/{id}/rotate',
    summary: 'Give a token a new secret. The one before stays valid for an overlap, 24 hours by default.',
    params: tokenPath,
    body: rotateApiTokenSchema,
    answers: { 200: apiTokenWithSecretSchema },
  },
  {
    ...byPerson,
    id: 'revokeApiToken',
    method: 'delete',
    path: '/api/projects/{project}/tokens/{id}',
    summary: 'End a token at once.',
    params: tokenPath,
    answers: { 204: 'nothing' },
  },
];
