import { callerSchema } from './caller.ts';
import { logOperations } from './log-operations.ts';
import { noteOperations } from './note-operations.ts';
import type { PublicOperation } from './operation.ts';
import { rateLimitSchema } from './rate-limit.ts';

/** The public API: everything below `/v1` that takes a token. */
export const publicOperations: readonly PublicOperation[] = [
  {
    id: 'getCaller',
    method: 'get',
    path: '/v1/caller',
    summary: 'Whose the token is, and what it opens.',
    scope: undefined,
    answer: callerSchema,
  },
  {
    id: 'getRateLimit',
    method: 'get',
    path: '/v1/rate-limit',
    summary: 'What is left of each quota. Asking is free.',
    scope: undefined,
    answer: rateLimitSchema,
  },
  ...logOperations,
  ...noteOperations,
];
