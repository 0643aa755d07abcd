import * as z from 'zod';
import { activityBatchSchema } from '../activity.ts';
import { exchangeCodeSchema, exchangedCodeSchema } from '../agent-codes.ts';
import { agentTokenClaimsSchema } from '../agent-token.ts';
import { clientPermissionsSchema } from '../client-permissions.ts';
import { environmentDataSourcesSchema } from '../environments.ts';
import { healthSchema } from '../health.ts';
import { environmentSchema, meSchema } from '../identity.ts';
import { ipRulesSchema } from '../ip-rules.ts';
import { keptMcpStateSchema, mcpStateKeySchema, mcpStateSchema } from '../mcp-authorization.ts';
import { grantRightsSchema } from '../mcp-clients.ts';
import {
  askSchema,
  askStateSchema,
  foundMarkSchema,
  givenAnswerSchema,
  givenOutcomeSchema,
  mcpSessionSchema,
  usedYesSchema,
  useOfYesSchema,
} from '../mcp-marks.ts';
import { modelCustomizationsSchema } from '../model-customizations.ts';
import { environmentPermissionsSchema, renderingPermissionsSchema, usersSchema } from '../permissions.ts';
import { printedForAgentSchema, printedTokenOwnerSchema, serviceAccountSchema } from '../printed-tokens.ts';
import { hashCheckAnswerSchema, hashCheckSchema } from '../schema-document.ts';
import { schemaUploadSchema } from '../schema-upload.ts';
import { endedSessionsSchema } from '../sessions.ts';
import { signedInUserSchema } from '../sign-in.ts';
import { spendingAnswerSchema, spendingSchema } from '../spent-approvals.ts';
import type { Operation } from './operation.ts';

const renderingPath = z.strictObject({ renderingId: z.coerce.number<string>().pipe(z.number().int()) });
const personPath = z.strictObject({ personId: z.coerce.number<string>().pipe(z.number().int()) });
const byAgent = { credential: 'envSecret' } as const;

/** What agents ask of the platform, and who one is. */
export const agentOperations: readonly Operation[] = [
  {
    id: 'readHealth',
    method: 'get',
    path: '/health',
    summary: 'Whether a platform answers here.',
    credential: 'none',
    answers: { 200: healthSchema },
  },
  {
    id: 'readMe',
    method: 'get',
    path: '/api/me',
    summary: 'Whom the token belongs to.',
    credential: 'userToken',
    answers: { 200: meSchema },
  },
  {
    ...byAgent,
    id: 'readEnvironment',
    method: 'get',
    path: '/agent/environment',
    summary: 'The environment that the secret belongs to.',
    answers: { 200: environmentSchema },
  },
  {
    ...byAgent,
    id: 'readEnvironmentPermissions',
    method: 'get',
    path: '/agent/v4/permissions/environment',
    summary: 'What roles may do; true where everything is allowed.',
    answers: { 200: environmentPermissionsSchema },
  },
  {
    ...byAgent,
    id: 'readUsers',
    method: 'get',
    path: '/agent/v4/permissions/users',
    summary: 'The people of the project, with their roles.',
    answers: { 200: usersSchema },
  },
  {
    ...byAgent,
    id: 'readRenderingPermissions',
    method: 'get',
    path: '/agent/v4/permissions/renderings/{renderingId}',
    summary: 'Scopes, segments and charts of a rendering.',
    params: renderingPath,
    answers: { 200: renderingPermissionsSchema },
  },
  {
    ...byAgent,
    id: 'readClientPermissions',
    method: 'get',
    path: '/agent/v1/permissions/clients',
    summary: 'What programs may do for people at most.',
    answers: { 200: clientPermissionsSchema },
  },
  {
    ...byAgent,
    id: 'followEvents',
    method: 'get',
    path: '/agent/v4/subscribe-to-events',
    summary: 'What changes, as server-sent events.',
    answers: { 200: 'events' },
  },
  {
    ...byAgent,
    id: 'readEnvironmentDataSources',
    method: 'get',
    path: '/agent/v1/data-sources',
    summary: 'The databases of the version that is live in the environment, without secrets.',
    answers: { 200: environmentDataSourcesSchema },
  },
  {
    ...byAgent,
    id: 'readEndedSessions',
    method: 'get',
    path: '/agent/v1/ended-sessions',
    summary: 'Whose session tokens agents refuse.',
    answers: { 200: endedSessionsSchema },
  },
  {
    ...byAgent,
    id: 'readIpRules',
    method: 'get',
    path: '/agent/v1/ip-whitelist-rules',
    summary: 'From where the agent may be reached.',
    answers: { 200: ipRulesSchema },
  },
  {
    ...byAgent,
    id: 'readSignedInUser',
    method: 'get',
    path: '/agent/v2/renderings/{renderingId}/authorization',
    summary: 'Who has signed in with the token in the header service-token.',
    params: renderingPath,
    answers: { 200: signedInUserSchema },
  },
  {
    ...byAgent,
    id: 'readModelCustomizations',
    method: 'get',
    path: '/agent/model-customizations',
    summary: 'Customizations that were made without code.',
    answers: { 200: modelCustomizationsSchema },
  },
  {
    ...byAgent,
    id: 'checkSchemaHash',
    method: 'post',
    path: '/service/apimaps/hashcheck',
    summary: 'Whether the platform lacks a schema.',
    body: hashCheckSchema,
    answers: { 200: hashCheckAnswerSchema },
  },
  {
    ...byAgent,
    id: 'uploadSchema',
    method: 'post',
    path: '/service/apimaps',
    summary: 'Send the schema of an agent.',
    body: schemaUploadSchema,
    answers: { 204: 'nothing' },
  },
  {
    ...byAgent,
    id: 'reportActivities',
    method: 'post',
    path: '/agent/v1/activities',
    summary: 'Report what people did; what is sent again is stored once.',
    body: activityBatchSchema,
    answers: { 204: 'nothing' },
  },
  {
    ...byAgent,
    id: 'spendApproval',
    method: 'post',
    path: '/agent/v1/spent-approvals',
    summary: 'Use a signed approval, which only one run may.',
    body: spendingSchema,
    answers: { 200: spendingAnswerSchema },
  },
  {
    ...byAgent,
    id: 'readPerson',
    method: 'get',
    path: '/agent/v1/people/{personId}',
    summary: 'A member of the project, as tokens of agents name them.',
    params: personPath,
    answers: { 200: agentTokenClaimsSchema },
  },
  {
    ...byAgent,
    id: 'readPrintedToken',
    method: 'post',
    path: '/agent/v1/printed-token',
    summary: 'Whose a token is that somebody printed for the agent or its MCP server.',
    body: printedForAgentSchema,
    answers: { 200: printedTokenOwnerSchema },
  },
  {
    ...byAgent,
    id: 'readServiceAccount',
    method: 'post',
    path: '/agent/v1/service-account',
    summary: 'For whom a service account works, and which program it is.',
    body: serviceAccountSchema,
    answers: { 200: printedTokenOwnerSchema },
  },
  {
    ...byAgent,
    id: 'readExchangedCode',
    method: 'post',
    path: '/agent/v1/exchanged-code',
    summary: 'Who comes with a one-time code of the platform, which is worth nothing from then on.',
    body: exchangeCodeSchema,
    answers: { 200: exchangedCodeSchema },
  },
  {
    ...byAgent,
    id: 'saveMcpState',
    method: 'put',
    path: '/agent/v1/mcp/state/{kind}/{id}',
    summary: 'Keep something of the authorization of an MCP server.',
    params: mcpStateKeySchema,
    body: mcpStateSchema,
    answers: { 204: 'nothing' },
  },
  {
    ...byAgent,
    id: 'readMcpState',
    method: 'get',
    path: '/agent/v1/mcp/state/{kind}/{id}',
    summary: 'What was kept.',
    params: mcpStateKeySchema,
    answers: { 200: keptMcpStateSchema },
  },
  {
    ...byAgent,
    id: 'useMcpState',
    method: 'post',
    path: '/agent/v1/mcp/state/{kind}/{id}/uses',
    summary: 'What was kept, and whether it was used before.',
    params: mcpStateKeySchema,
    answers: { 200: keptMcpStateSchema },
  },
  {
    ...byAgent,
    id: 'setMcpGrantRights',
    method: 'put',
    path: '/agent/v1/mcp/grants/{id}/rights',
    summary: 'Keep what a person has chosen for a program that they let in.',
    params: mcpStateKeySchema.pick({ id: true }),
    body: grantRightsSchema,
    answers: { 204: 'nothing' },
  },
  {
    ...byAgent,
    id: 'removeMcpState',
    method: 'delete',
    path: '/agent/v1/mcp/state/{kind}/{id}',
    summary: 'Forget it; the end of a grant is the end of all that came of it.',
    params: mcpStateKeySchema,
    answers: { 204: 'nothing' },
  },
  {
    ...byAgent,
    id: 'readMcpMark',
    method: 'post',
    path: '/agent/v1/mcp/marks/question',
    summary: 'Whether an MCP session has read what outsiders can write.',
    body: mcpSessionSchema,
    answers: { 200: foundMarkSchema },
  },
  {
    ...byAgent,
    id: 'giveMcpAnswer',
    method: 'post',
    path: '/agent/v1/mcp/marks/answers',
    summary: 'Count what a marked MCP session is given; mark a session that is given what outsiders can write.',
    body: givenAnswerSchema,
    answers: { 200: givenOutcomeSchema },
  },
  {
    ...byAgent,
    id: 'askPerson',
    method: 'post',
    path: '/agent/v1/mcp/asks',
    summary: 'Ask the person of a marked MCP session about one call.',
    body: askSchema,
    answers: { 200: askStateSchema },
  },
  {
    ...byAgent,
    id: 'useMcpYes',
    method: 'post',
    path: '/agent/v1/mcp/asks/uses',
    summary: 'Use the yes of the person, which only one run may.',
    body: useOfYesSchema,
    answers: { 200: usedYesSchema },
  },
];
