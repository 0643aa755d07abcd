import {
  type CreateDeployment,
  type Deployment,
  type DeploymentList,
  type DeploymentLog,
  deploymentListSchema,
  deploymentLogSchema,
  deploymentSchema,
  type HostList,
  hostListSchema,
  type LogPage,
  logPageSchema,
} from '#contracts/deployments';
import { type EndedSessions, endedSessionsSchema } from '#contracts/ended-sessions';
import { type EnvironmentDataSources, environmentDataSourcesSchema } from '#contracts/environment-data-sources';
import { healthSchema } from '#contracts/health';
import { type Environment, environmentSchema } from '#contracts/identity';
import { type IpRules, ipRulesSchema } from '#contracts/ip-rules';
import { modelCustomizationsSchema } from '#contracts/model-customizations';
import {
  type EnvironmentPermissions,
  environmentPermissionsSchema,
  type PlatformUser,
  type RenderingPermissions,
  renderingPermissionsSchema,
  usersSchema,
} from '#contracts/permissions';
import { hashCheckAnswerSchema, type SchemaDocument } from '#contracts/schema-document';
import { schemaUploadOf } from '#contracts/schema-upload';
import { type SignedInUser, signedInUserSchema } from '#contracts/sign-in';
import { type Spending, type SpendingAnswer, spendingAnswerSchema } from '#contracts/spent-approvals';
import { type ChangeVariables, type VariableList, variableListSchema } from '#contracts/variables';
import {
  type CreateVersion,
  maxBundleBytes,
  missingBundlesSchema,
  type Version,
  type VersionList,
  versionListSchema,
  versionSchema,
} from '#contracts/versions';
import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { type AccountClient, createAccountClient } from './account-client.ts';
import { type ApiTokenClient, createApiTokenClient } from './api-token-client.ts';
import type { PlatformClientOptions } from './platform-client-options.ts';
import { createPlatformTransport } from './platform-transport.ts';
import { createRightsClient, type RightsClient } from './rights-client.ts';
import { createSignInClient, type SignInClient } from './sign-in-client.ts';

/** Which lines of the log. */
export interface LogQuery {
  readonly limit?: number;
  readonly before?: number | undefined;
  readonly level?: string | undefined;
  readonly host?: string | undefined;
  readonly [name: string]: string | number | undefined;
}

/**
 * The platform, hosted or local. Every method rejects with an error of the family `PLATFORM_…`, or with
 * `CREDENTIALS_MISSING` when the credential it needs was not given.
 */
export interface PlatformClient extends RightsClient, ApiTokenClient, AccountClient {
  /** The environment the secret belongs to. */
  environment(): Promise<Environment>;
  /** The databases of what is live in the environment. */
  dataSources(): Promise<EnvironmentDataSources>;
  /** `true` where everything is allowed (development). */
  environmentPermissions(): Promise<EnvironmentPermissions>;
  users(): Promise<PlatformUser[]>;
  renderingPermissions(renderingId: number): Promise<RenderingPermissions>;
  /** Whether the platform lacks the schema of that hash. */
  checkSchemaHash(hash: string): Promise<{ readonly sendSchema: boolean }>;
  uploadSchema(document: SchemaDocument, hash: string): Promise<void>;
  /** What was customized on the platform, without code. */
  modelCustomizations(): Promise<readonly unknown[]>;
  /** From where the agent may be reached. */
  ipRules(): Promise<IpRules>;
  /** Whose sessions were ended lately; nobody's where the platform does not tell. */
  endedSessions(): Promise<EndedSessions>;
  /** Resolves once the platform has stored them. It is tried once; what is sent again is stored once. */
  reportActivities(activities: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Use an approval. The answer is the same when a run asks again. */
  spendApproval(spending: Spending): Promise<SpendingAnswer>;
  readonly signIn: SignInClient;
  /** Who has signed in. Rejects with `PLATFORM_REFUSED` when the person may not use the rendering. */
  signedInUser(renderingId: number, accessToken: string): Promise<SignedInUser>;
  /** Store the bytes of a bundle under their SHA-256; `isNew` is false when they were there already. */
  uploadBundle(digest: string, bytes: Uint8Array): Promise<{ readonly isNew: boolean }>;
  /** Those of `digests` whose bytes the platform does not have. */
  missingBundles(digests: readonly string[]): Promise<readonly string[]>;
  /** Publish uploaded bundles. The same idempotency key gives the same version. */
  createVersion(input: CreateVersion): Promise<Version>;
  /** Newest first; `before` is the `nextBefore` of the page before. */
  listVersions(page?: { readonly limit?: number; readonly before?: number | undefined }): Promise<VersionList>;
  /** Rejects with `REQUEST_CONFLICT` when another deployment than the base is live. */
  createDeployment(input: CreateDeployment): Promise<Deployment>;
  /** Newest first; `before` is the `nextBefore` of the page before. */
  listDeployments(page?: { readonly limit?: number; readonly before?: number | undefined }): Promise<DeploymentList>;
  deployment(number: number): Promise<Deployment>;
  /** The lines behind `after`; the platform waits for one for `waitMs`. */
  deploymentLog(number: number, page: { readonly after: number; readonly waitMs: number }): Promise<DeploymentLog>;
  hosts(): Promise<HostList>;
  /** What hosts and customization code said, newest first. */
  logs(page: LogQuery): Promise<LogPage>;
  /** The names alone. */
  variables(): Promise<VariableList>;
  changeVariables(change: ChangeVariables): Promise<VariableList>;
  /** Resolves when a platform answers at the address. */
  health(): Promise<void>;
}

export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const transport = createPlatformTransport(options);
  const { serverUrl, http, credentials } = options;
  const signIn = createSignInClient({ serverUrl, http, envSecret: credentials.envSecret });
  return {
    ...agentSide(transport),
    ...userSide(transport),
    ...createRightsClient(transport),
    ...createApiTokenClient(transport),
    ...createAccountClient(transport),
    signIn,
  };
}

type Transport = ReturnType<typeof createPlatformTransport>;

function agentSide(transport: Transport) {
  const get = { method: 'GET', credential: 'envSecret', isRepeatable: true } as const;
  const post = { method: 'POST', credential: 'envSecret', isRepeatable: true } as const;
  return {
    environment: () => transport.fetchJson({ ...get, path: 'agent/environment' }, environmentSchema),
    dataSources: () => transport.fetchJson({ ...get, path: 'agent/v1/data-sources' }, environmentDataSourcesSchema),
    environmentPermissions: () =>
      transport.fetchJson({ ...get, path: 'agent/v4/permissions/environment' }, environmentPermissionsSchema),
    users: () => transport.fetchJson({ ...get, path: 'agent/v4/permissions/users' }, usersSchema),
    renderingPermissions: (renderingId: number) =>
      transport.fetchJson(
        { ...get, path: `agent/v4/permissions/renderings/${renderingId}` },
        renderingPermissionsSchema,
      ),
    checkSchemaHash: (hash: string) =>
      transport.fetchJson(
        { ...post, path: 'service/apimaps/hashcheck', json: { schemaFileHash: hash } },
        hashCheckAnswerSchema,
      ),
    modelCustomizations: () =>
      transport.fetchJson({ ...get, path: 'agent/model-customizations' }, modelCustomizationsSchema),
    ipRules: async () =>
      (await transport.fetchJson({ ...get, path: 'agent/v1/ip-whitelist-rules' }, ipRulesSchema)).data.attributes,
    endedSessions: async (): Promise<EndedSessions> => {
      try {
        return await transport.fetchJson({ ...get, path: 'agent/v1/ended-sessions' }, endedSessionsSchema);
      } catch (error) {
        if (isCloudError(error) && error.safeDetails['status'] === 404) return { people: [] };
        throw error;
      }
    },
    signedInUser: (renderingId: number, accessToken: string) =>
      transport.fetchJson(
        {
          ...get,
          path: `agent/v2/renderings/${renderingId}/authorization`,
          headers: { 'service-token': accessToken },
        },
        signedInUserSchema,
      ),
    uploadSchema: async (document: SchemaDocument, hash: string) => {
      await transport.send({
        ...post,
        path: 'service/apimaps',
        json: schemaUploadOf(document, hash),
        deadlineMs: 30_000,
      });
    },
    spendApproval: (spending: Spending) =>
      transport.fetchJson({ ...post, path: 'agent/v1/spent-approvals', json: spending }, spendingAnswerSchema),
    reportActivities: async (activities: readonly string[], signal?: AbortSignal) => {
      await transport.send({
        ...post,
        path: 'agent/v1/activities',
        jsonText: `{"activities":[${activities.join()}]}`,
        isRepeatable: false,
        signal,
      });
    },
  };
}

function userSide(transport: Transport) {
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  return {
    uploadBundle: async (digest: string, bytes: Uint8Array) => {
      assertBundleFits(bytes);
      const { status } = await transport.send({
        method: 'PUT',
        path: `api/bundles/${digest}`,
        credential: 'userToken',
        isRepeatable: true,
        bytes,
        deadlineMs: 60_000,
      });
      return { isNew: status === 201 };
    },
    missingBundles: async (digests: readonly string[]) => {
      const answer = await transport.fetchJson(
        {
          method: 'POST',
          path: 'api/bundles/missing',
          credential: 'userToken',
          isRepeatable: true,
          json: { digests },
        },
        missingBundlesSchema,
      );
      return answer.digests;
    },
    createVersion: (input: CreateVersion) =>
      transport.fetchJson(
        { method: 'POST', path: 'api/versions', credential: 'userToken', isRepeatable: true, json: input },
        versionSchema,
      ),
    listVersions: ({ limit = 20, before }: { readonly limit?: number; readonly before?: number | undefined } = {}) =>
      transport.fetchJson(
        { ...get, path: `api/versions?limit=${limit}${before === undefined ? '' : `&before=${before}`}` },
        versionListSchema,
      ),
    createDeployment: (input: CreateDeployment) =>
      transport.fetchJson(
        { method: 'POST', path: 'api/deployments', credential: 'userToken', isRepeatable: true, json: input },
        deploymentSchema,
      ),
    listDeployments: (page: { readonly limit?: number; readonly before?: number | undefined } = {}) =>
      transport.fetchJson({ ...get, path: `api/deployments${queryOf(page)}` }, deploymentListSchema),
    deployment: (number: number) =>
      transport.fetchJson({ ...get, path: `api/deployments/${number}` }, deploymentSchema),
    deploymentLog: (number: number, page: { readonly after: number; readonly waitMs: number }) =>
      transport.fetchJson(
        { ...get, path: `api/deployments/${number}/log${queryOf(page)}`, deadlineMs: page.waitMs + 10_000 },
        deploymentLogSchema,
      ),
    hosts: () => transport.fetchJson({ ...get, path: 'api/hosts' }, hostListSchema),
    logs: (page: LogQuery) => transport.fetchJson({ ...get, path: `api/logs${queryOf(page)}` }, logPageSchema),
    variables: () => transport.fetchJson({ ...get, path: 'api/variables' }, variableListSchema),
    changeVariables: (change: ChangeVariables) =>
      transport.fetchJson(
        { method: 'PATCH', path: 'api/variables', credential: 'userToken', isRepeatable: false, json: change },
        variableListSchema,
      ),
    health: async () => {
      await transport.fetchJson(
        { method: 'GET', path: 'health', credential: 'none', isRepeatable: true, deadlineMs: 5_000 },
        healthSchema,
      );
    },
  };
}

function queryOf(page: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(page)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

/** Checked before a byte is sent: a server that refuses halfway closes the connection, and its reason may be lost with it. */
function assertBundleFits(bytes: Uint8Array): void {
  if (bytes.byteLength <= maxBundleBytes) return;
  const megabytes = (size: number) => (size / 1024 / 1024).toFixed(1);
  throw new CloudError({
    code: 'BUNDLE_TOO_LARGE',
    message: `The bundle has ${megabytes(bytes.byteLength)} MB and the platform takes ${megabytes(maxBundleBytes)} MB.`,
    nextSteps: ['Remove large dependencies or data files from the bundle.'],
  });
}
