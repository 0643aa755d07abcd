import * as z from 'zod';
import {
  createDeploymentSchema,
  deploymentListSchema,
  deploymentLogSchema,
  deploymentSchema,
  hostListSchema,
  logPageSchema,
} from '../deployments.ts';
import { beatSchema, hostVariablesSchema, ordersSchema } from '../hosting.ts';
import { knownSchemaSchema } from '../schema-document.ts';
import { changeVariablesSchema, variableListSchema } from '../variables.ts';
import {
  createVersionSchema,
  missingBundlesSchema,
  sha256Schema,
  versionChangesSchema,
  versionListSchema,
  versionSchema,
} from '../versions.ts';
import type { Operation } from './operation.ts';

/** A number in an address. */
const number = (schema = z.number().int().positive()) => z.coerce.number<string>().pipe(schema);

export const pageQuery = z.strictObject({
  limit: number(z.number().int().min(1).max(100)).default(20),
  /** The `nextBefore` of the page before. */
  before: number().optional(),
});

export const versionChangesQuery = z.strictObject({
  /** The version in whose place the other one would serve; 0 for nothing. Default: the one before it. */
  replacing: number(z.number().int().nonnegative()).optional(),
});

/** The longest time that a request for a log waits, in milliseconds. */
const maxLogWaitMs = 20_000;

export const deploymentLogQuery = z.strictObject({
  after: number(z.number().int().nonnegative()).default(0),
  waitMs: number(z.number().int().min(0).max(maxLogWaitMs)).default(0),
});

export const hostLogQuery = z.strictObject({
  limit: number(z.number().int().min(1).max(1000)).default(100),
  before: number().optional(),
  level: z.enum(['Debug', 'Info', 'Warn', 'Error']).optional(),
  /** Name of a host. */
  host: z.string().optional(),
});

export const variablesQuery = z.strictObject({
  /** Default: the newest. */
  revision: number(z.number().int().nonnegative()).optional(),
});

export const bundlePath = z.strictObject({ digest: sha256Schema });
export const versionPath = z.strictObject({ number: number() });
export const deploymentPath = z.strictObject({ number: number() });
export const revisionPath = z.strictObject({ revision: number(z.number().int().nonnegative()) });
export const hostPath = z.strictObject({ id: z.uuid() });

const byPerson = { credential: 'userToken' } as const;
const byHost = { credential: 'envSecret' } as const;

/** Versions, deployments, hosts and variables. */
export const deploymentOperations: readonly Operation[] = [
  {
    ...byPerson,
    id: 'findMissingBundles',
    method: 'post',
    path: '/api/bundles/missing',
    summary: 'Which of these bundles the platform does not have.',
    body: missingBundlesSchema,
    answers: { 200: missingBundlesSchema },
  },
  {
    ...byPerson,
    id: 'uploadBundle',
    method: 'put',
    path: '/api/bundles/{digest}',
    summary: 'Store bytes under their SHA-256; 200 when they are there already.',
    params: bundlePath,
    body: 'bytes',
    answers: { 201: z.strictObject({}), 200: z.strictObject({}) },
  },
  {
    ...byPerson,
    id: 'createVersion',
    method: 'post',
    path: '/api/versions',
    summary: 'Make a version of uploaded bundles; 200 when there is one of the same content.',
    body: createVersionSchema,
    answers: { 201: versionSchema, 200: versionSchema },
  },
  {
    ...byPerson,
    id: 'listVersions',
    method: 'get',
    path: '/api/versions',
    summary: 'The versions of the project, newest first.',
    query: pageQuery,
    answers: { 200: versionListSchema },
  },
  {
    ...byPerson,
    id: 'compareVersions',
    method: 'get',
    path: '/api/versions/{number}/changes',
    summary: 'What changes where a version serves in place of another one, in the words of a plan.',
    params: versionPath,
    query: versionChangesQuery,
    answers: { 200: versionChangesSchema },
  },
  {
    ...byPerson,
    id: 'createDeployment',
    method: 'post',
    path: '/api/deployments',
    summary: 'Make a version, or what an earlier deployment served, the one that the environment serves.',
    body: createDeploymentSchema,
    answers: { 201: deploymentSchema },
  },
  {
    ...byPerson,
    id: 'listDeployments',
    method: 'get',
    path: '/api/deployments',
    summary: 'The deployments of the environment, newest first.',
    query: pageQuery,
    answers: { 200: deploymentListSchema },
  },
  {
    ...byPerson,
    id: 'readDeployment',
    method: 'get',
    path: '/api/deployments/{number}',
    summary: 'One deployment.',
    params: deploymentPath,
    answers: { 200: deploymentSchema },
  },
  {
    ...byPerson,
    id: 'readDeploymentLog',
    method: 'get',
    path: '/api/deployments/{number}/log',
    summary: 'What happened in a deployment; waits for more on request.',
    params: deploymentPath,
    query: deploymentLogQuery,
    answers: { 200: deploymentLogSchema },
  },
  {
    ...byPerson,
    id: 'listHosts',
    method: 'get',
    path: '/api/hosts',
    summary: 'The hosts of the environment.',
    answers: { 200: hostListSchema },
  },
  {
    ...byPerson,
    id: 'listLogLines',
    method: 'get',
    path: '/api/logs',
    summary: 'What hosts and customization code said, newest first.',
    query: hostLogQuery,
    answers: { 200: logPageSchema },
  },
  {
    ...byPerson,
    id: 'readSchema',
    method: 'get',
    path: '/api/schema',
    summary: 'What the agent of the environment publishes; null before one has told.',
    answers: { 200: knownSchemaSchema },
  },
  {
    ...byPerson,
    id: 'listVariables',
    method: 'get',
    path: '/api/variables',
    summary: 'The names of the variables of the environment, of the newest revision or of an earlier one.',
    query: variablesQuery,
    answers: { 200: variableListSchema },
  },
  {
    ...byPerson,
    id: 'changeVariables',
    method: 'patch',
    path: '/api/variables',
    summary: 'Set and unset variables of the environment. Deployments take them from the next one on.',
    body: changeVariablesSchema,
    answers: { 200: variableListSchema },
  },
  {
    ...byHost,
    id: 'beat',
    method: 'post',
    path: '/host/v1/beats',
    summary: 'A host says what it serves, and learns what to serve.',
    body: beatSchema,
    answers: { 200: ordersSchema },
  },
  {
    ...byHost,
    id: 'readBundle',
    method: 'get',
    path: '/host/v1/bundles/{digest}',
    summary: 'The bytes of a bundle.',
    params: bundlePath,
    answers: { 200: 'bytes' },
  },
  {
    ...byHost,
    id: 'readVariables',
    method: 'get',
    path: '/host/v1/variables/{revision}',
    summary: 'The variables of a deployment, for its hosts.',
    params: revisionPath,
    answers: { 200: hostVariablesSchema },
  },
  {
    ...byHost,
    id: 'leaveHost',
    method: 'delete',
    path: '/host/v1/hosts/{id}',
    summary: 'A host serves no more.',
    params: hostPath,
    answers: { 204: 'nothing' },
  },
];
