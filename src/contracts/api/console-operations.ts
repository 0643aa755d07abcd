import { agentCodeSchema, makeAgentCodeSchema } from '../agent-codes.ts';
import { consoleEventsQuerySchema } from '../console-events.ts';
import type { Operation } from './operation.ts';

const byPerson = { credential: 'userToken' } as const;

/** What the console needs beside the rest, and any other page of the platform. */
export const consoleOperations: readonly Operation[] = [
  {
    ...byPerson,
    id: 'makeAgentCode',
    method: 'post',
    path: '/api/agent-codes',
    summary: 'Make a one-time code for the agent of the environment, in a browser that is signed in.',
    body: makeAgentCodeSchema,
    answers: { 201: agentCodeSchema },
  },
  {
    ...byPerson,
    id: 'listenToEvents',
    method: 'get',
    path: '/api/events',
    summary: 'Hear what changes in an environment, as server-sent events.',
    query: consoleEventsQuerySchema,
    answers: { 200: 'events' },
  },
];
