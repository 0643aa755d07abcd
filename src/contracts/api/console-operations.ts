import * as z from 'zod';
import { agentCodeSchema, makeAgentCodeSchema } from '../agent-codes.ts';
import { checkListSchema } from '../checks.ts';
import { consoleEventsQuerySchema, devLogSchema } from '../console-events.ts';
import { impersonationSchema, startImpersonationSchema } from '../impersonations.ts';
import {
  changePreferencesSchema,
  changeTeamViewSchema,
  createTeamViewSchema,
  preferencesSchema,
  teamViewListSchema,
  teamViewQuerySchema,
  teamViewSchema,
} from '../preferences.ts';
import type { Operation } from './operation.ts';

const byPerson = { credential: 'userToken' } as const;
const idPath = z.strictObject({ id: z.coerce.number<string>().pipe(z.number().int().positive()) });

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
    id: 'startImpersonation',
    method: 'post',
    path: '/api/impersonations',
    summary:
      'See the console as a member of the project does, in a browser that is signed in. For administrators. Nothing is written meanwhile.',
    body: startImpersonationSchema,
    answers: { 201: impersonationSchema },
  },
  {
    ...byPerson,
    id: 'endImpersonation',
    method: 'delete',
    path: '/api/impersonations/{id}',
    summary: 'End it before its time.',
    params: z.strictObject({ id: z.string() }),
    answers: { 204: 'nothing' },
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
  {
    ...byPerson,
    id: 'readDevLog',
    method: 'get',
    path: '/api/dev/log',
    summary: 'The newest lines of the log of the agent that is being developed. For administrators and developers.',
    answers: { 200: devLogSchema },
  },
  {
    ...byPerson,
    id: 'readChecks',
    method: 'get',
    path: '/api/checks',
    summary: 'What the platform stands on, as `vendor-cloud doctor` says it. For administrators and developers.',
    answers: { 200: checkListSchema },
  },
  {
    ...byPerson,
    id: 'readPreferences',
    method: 'get',
    path: '/api/me/preferences',
    summary: 'What one keeps in the project: how one likes the console.',
    answers: { 200: preferencesSchema },
  },
  {
    ...byPerson,
    id: 'changePreferences',
    method: 'patch',
    path: '/api/me/preferences',
    summary: 'Change members of what one keeps in the project.',
    body: changePreferencesSchema,
    answers: { 200: preferencesSchema },
  },
  {
    ...byPerson,
    id: 'listViews',
    method: 'get',
    path: '/api/views',
    summary: 'The views of one’s own team.',
    query: teamViewQuerySchema,
    answers: { 200: teamViewListSchema },
  },
  {
    ...byPerson,
    id: 'createView',
    method: 'post',
    path: '/api/views',
    summary: 'Share a view with one’s own team.',
    body: createTeamViewSchema,
    answers: { 201: teamViewSchema },
  },
  {
    ...byPerson,
    id: 'changeView',
    method: 'put',
    path: '/api/views/{id}',
    summary: 'Change a view of one’s own, or, for an administrator, of anybody in the team.',
    params: idPath,
    body: changeTeamViewSchema,
    answers: { 200: teamViewSchema },
  },
  {
    ...byPerson,
    id: 'removeView',
    method: 'delete',
    path: '/api/views/{id}',
    summary: 'Remove such a view.',
    params: idPath,
    answers: { 204: 'nothing' },
  },
];
