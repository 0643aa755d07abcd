import * as z from 'zod';
import { createElevationSchema, elevationListSchema, elevationSchema } from '../elevations.ts';
import { eventAckSchema } from '../platform-events.ts';
import {
  agentListSchema,
  checkedRightsSchema,
  checkRightsSchema,
  refusalsQuery,
  refusedByRightsSchema,
  replaceRightsSchema,
  rightsHistorySchema,
  rightsSchema,
  suggestedRightsSchema,
  suggestionQuery,
} from '../rights.ts';
import { setupInputSchema, setupResultSchema } from '../setup.ts';
import { pageQuery } from './deployment-operations.ts';
import type { Operation } from './operation.ts';

const elevationPath = z.strictObject({ id: z.coerce.number<string>().pipe(z.number().int().positive()) });
const byPerson = { credential: 'userToken' } as const;

/** Rights, the agents that carry them out, and how a platform begins. */
export const rightsOperations: readonly Operation[] = [
  {
    ...byPerson,
    id: 'readRights',
    method: 'get',
    path: '/api/rights',
    summary: 'Who may do what in the environment.',
    answers: { 200: rightsSchema },
  },
  {
    ...byPerson,
    id: 'replaceRights',
    method: 'put',
    path: '/api/rights',
    summary: 'Say who may do what in the environment.',
    body: replaceRightsSchema,
    answers: { 200: rightsSchema },
  },
  {
    ...byPerson,
    id: 'checkRights',
    method: 'post',
    path: '/api/rights/check',
    summary: 'Whom some rights would leave without any, before anybody sets them.',
    body: checkRightsSchema,
    answers: { 200: checkedRightsSchema },
  },
  {
    ...byPerson,
    id: 'suggestRights',
    method: 'get',
    path: '/api/rights/suggestion',
    summary: 'The least rights that would have allowed what people did lately.',
    query: suggestionQuery,
    answers: { 200: suggestedRightsSchema },
  },
  {
    ...byPerson,
    id: 'findRefusals',
    method: 'post',
    path: '/api/rights/refusals',
    summary: 'What people did lately that some rights would have refused, before anybody sets them.',
    body: refusalsQuery,
    answers: { 200: refusedByRightsSchema },
  },
  {
    ...byPerson,
    id: 'readRightsHistory',
    method: 'get',
    path: '/api/rights/history',
    summary: 'Who changed the rights, and when; newest first.',
    query: pageQuery,
    answers: { 200: rightsHistorySchema },
  },
  {
    ...byPerson,
    id: 'listAgents',
    method: 'get',
    path: '/api/agents',
    summary: 'The agents that are connected, and what they have heard of.',
    answers: { 200: agentListSchema },
  },
  {
    id: 'acknowledgeEvents',
    method: 'post',
    path: '/agent/v1/event-acks',
    summary: 'An agent has carried out every event up to a number.',
    credential: 'envSecret',
    body: eventAckSchema,
    answers: { 204: 'nothing' },
  },
  {
    id: 'setUp',
    method: 'post',
    path: '/api/setup',
    summary: 'Make the first administrator of a team, with the secret of the link that the platform printed.',
    credential: 'none',
    isOnlyOf: 'a team',
    body: setupInputSchema,
    answers: { 201: setupResultSchema },
  },
  {
    ...byPerson,
    id: 'listElevations',
    method: 'get',
    path: '/api/elevations',
    summary: 'The roles taken for a time in the environment that one may know of, newest first.',
    answers: { 200: elevationListSchema },
  },
  {
    ...byPerson,
    id: 'createElevation',
    method: 'post',
    path: '/api/elevations',
    summary: 'Take a role for a time, or ask for it where the rights want somebody else to agree.',
    body: createElevationSchema,
    answers: { 201: elevationSchema },
  },
  {
    ...byPerson,
    id: 'grantElevation',
    method: 'post',
    path: '/api/elevations/{id}/grant',
    summary: 'Agree to an elevation that somebody else has asked for.',
    params: elevationPath,
    answers: { 200: elevationSchema },
  },
  {
    ...byPerson,
    id: 'refuseElevation',
    method: 'post',
    path: '/api/elevations/{id}/refuse',
    summary: 'Refuse an elevation that somebody else has asked for.',
    params: elevationPath,
    answers: { 200: elevationSchema },
  },
  {
    ...byPerson,
    id: 'endElevation',
    method: 'delete',
    path: '/api/elevations/{id}',
    summary: 'Give a role back before its time, or take it away as an administrator.',
    params: elevationPath,
    answers: { 200: elevationSchema },
  },
];
