import { type ExchangeCode, type ExchangedCode, exchangedCodeSchema } from '#contracts/agent-codes';
import { type AgentTokenClaims, agentTokenClaimsSchema } from '#contracts/agent-token';
import { type ClientPermissions, clientPermissionsSchema } from '#contracts/client-permissions';
import { type EnvironmentDataSources, environmentDataSourcesSchema } from '#contracts/environments';
import { healthSchema } from '#contracts/health';
import { type RecordHistory, type RecordHistoryQuery, recordHistorySchema } from '#contracts/history';
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
import { type PrintedTokenOwner, printedTokenOwnerSchema } from '#contracts/printed-tokens';
import { hashCheckAnswerSchema, type SchemaDocument } from '#contracts/schema-document';
import { schemaUploadOf } from '#contracts/schema-upload';
import { type EndedSessions, endedSessionsSchema } from '#contracts/sessions';
import { type SignedInUser, signedInUserSchema } from '#contracts/sign-in';
import { type Spending, type SpendingAnswer, spendingAnswerSchema } from '#contracts/spent-approvals';
import {
  type AccountClient,
  type ApiTokenClient,
  createAccountClient,
  createApiTokenClient,
} from './account-client.ts';
import { createBatchBodies } from './activity-batch-body.ts';
import {
  type ApprovalClient,
  type ApprovalRequestClient,
  createApprovalClient,
  createApprovalRequestClient,
} from './approval-client.ts';
import { createDeploymentClient, type DeploymentClient } from './deployment-client.ts';
import { createMcpMarkClient, type McpMarkClient } from './mcp-mark-client.ts';
import { createMcpStateClient, type McpStateClient } from './mcp-state-client.ts';
import {
  createPeopleClient,
  createRightsClient,
  type PeopleClient,
  type RightsClient,
} from './people-and-rights-client.ts';
import {
  createPlatformTransport,
  orAbsent,
  type PlatformClientOptions,
  type PlatformTransport,
} from './platform-transport.ts';
import { createProvisioningClient, type ProvisioningClient } from './provisioning-client.ts';
import { createRecordNoteClient, type RecordNoteClient } from './record-note-client.ts';
import { createSignInClient, type SignInClient } from './sign-in-client.ts';

/**
 * The platform, hosted or local. Every method rejects with an error of the family `PLATFORM_…`, or with
 * `CREDENTIALS_MISSING` when the credential it needs was not given.
 */
export interface PlatformClient
  extends RightsClient,
    ApiTokenClient,
    AccountClient,
    PeopleClient,
    ProvisioningClient,
    ApprovalClient,
    DeploymentClient {
  /** The environment the secret belongs to. */
  environment(): Promise<Environment>;
  /** The databases of what is live in the environment. */
  dataSources(): Promise<EnvironmentDataSources>;
  /** `true` where everything is allowed (development). */
  environmentPermissions(): Promise<EnvironmentPermissions>;
  /** What programs may do for people; nothing is restricted where the platform does not tell. */
  clientPermissions(): Promise<ClientPermissions>;
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
  /** The writes to a record, with their values where they are kept. */
  recordHistory(query: RecordHistoryQuery): Promise<RecordHistory>;
  /** Use an approval. The answer is the same when a run asks again. */
  spendApproval(spending: Spending): Promise<SpendingAnswer>;
  /** Keeps the state of the MCP server's authorization. */
  readonly mcpState: McpStateClient;
  /** Keeps which MCP sessions have read what outsiders can write. */
  readonly mcpMarks: McpMarkClient;
  /** Keeps the requests for approvals. */
  readonly approvalRequests: ApprovalRequestClient;
  /** Keeps notes on records. */
  readonly recordNotes: RecordNoteClient;
  /** A member of the project; `undefined` for anybody else. */
  person(id: number): Promise<AgentTokenClaims | undefined>;
  /** Whose a token is that somebody printed for the agent; `undefined` for one that is no longer good. */
  printedToken(token: string): Promise<PrintedTokenOwner | undefined>;
  /** Whose the token of a service account is; `undefined` for one that is no longer good. */
  serviceAccount(token: string, audience: 'agent' | 'mcp'): Promise<PrintedTokenOwner | undefined>;
  /** Who comes with a one-time code of the platform; `undefined` for a code that is no longer good. */
  exchangedCode(exchange: ExchangeCode): Promise<ExchangedCode | undefined>;
  readonly signIn: SignInClient;
  /** Who has signed in. Rejects with `PLATFORM_REFUSED` when the person may not use the rendering. */
  signedInUser(renderingId: number, accessToken: string): Promise<SignedInUser>;
  /** Resolves when a platform answers at the address. */
  health(): Promise<void>;
}

export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const transport = createPlatformTransport(options);
  const { serverUrl, http, credentials } = options;
  const signIn = createSignInClient({ serverUrl, http, envSecret: credentials.envSecret });
  return {
    ...agentSide(transport),
    ...personSide(transport),
    ...createRightsClient(transport),
    ...createDeploymentClient(transport),
    ...createApiTokenClient(transport),
    ...createAccountClient(transport),
    ...createPeopleClient(transport),
    ...createProvisioningClient(transport),
    ...createApprovalClient(transport),
    signIn,
    mcpState: createMcpStateClient(transport),
    mcpMarks: createMcpMarkClient(transport),
    approvalRequests: createApprovalRequestClient(transport),
    recordNotes: createRecordNoteClient(transport),
    async health() {
      await transport.fetchJson(
        { method: 'GET', path: 'health', credential: 'none', isRepeatable: true, deadlineMs: 5_000 },
        healthSchema,
      );
    },
  };
}

function agentSide(transport: PlatformTransport) {
  const get = { method: 'GET', credential: 'envSecret', isRepeatable: true } as const;
  const post = { method: 'POST', credential: 'envSecret', isRepeatable: true } as const;
  const withBatchBody = createBatchBodies();
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
    clientPermissions: async (): Promise<ClientPermissions> =>
      (await orAbsent(
        transport.fetchJson({ ...get, path: 'agent/v1/permissions/clients' }, clientPermissionsSchema),
      )) ?? { clients: null, grants: [] },
    checkSchemaHash: (hash: string) =>
      transport.fetchJson(
        { ...post, path: 'service/apimaps/hashcheck', json: { schemaFileHash: hash } },
        hashCheckAnswerSchema,
      ),
    modelCustomizations: () =>
      transport.fetchJson({ ...get, path: 'agent/model-customizations' }, modelCustomizationsSchema),
    ipRules: async () =>
      (await transport.fetchJson({ ...get, path: 'agent/v1/ip-whitelist-rules' }, ipRulesSchema)).data.attributes,
    endedSessions: async (): Promise<EndedSessions> =>
      (await orAbsent(transport.fetchJson({ ...get, path: 'agent/v1/ended-sessions' }, endedSessionsSchema))) ?? {
        people: [],
      },
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
    recordHistory: (query: RecordHistoryQuery) => {
      const named = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      );
      return transport.fetchJson(
        { ...get, path: `agent/v1/history?${new URLSearchParams(named)}` },
        recordHistorySchema,
      );
    },
    reportActivities: (activities: readonly string[], signal?: AbortSignal) =>
      withBatchBody(activities, async (jsonBytes) => {
        await transport.send({ ...post, path: 'agent/v1/activities', jsonBytes, isRepeatable: false, signal });
      }),
  };
}

/** Who somebody is that comes to the agent. */
function personSide(transport: PlatformTransport) {
  const get = { method: 'GET', credential: 'envSecret', isRepeatable: true } as const;
  const post = { method: 'POST', credential: 'envSecret', isRepeatable: true } as const;
  return {
    person: (id: number) =>
      orAbsent(transport.fetchJson({ ...get, path: `agent/v1/people/${id}` }, agentTokenClaimsSchema)),
    printedToken: (token: string) =>
      orAbsent(
        transport.fetchJson({ ...post, path: 'agent/v1/printed-token', json: { token } }, printedTokenOwnerSchema),
      ),
    serviceAccount: (token: string, audience: 'agent' | 'mcp') =>
      orAbsent(
        transport.fetchJson(
          { ...post, path: 'agent/v1/service-account', json: { token, audience } },
          printedTokenOwnerSchema,
        ),
      ),
    exchangedCode: (exchange: ExchangeCode) =>
      orAbsent(
        transport.fetchJson(
          { ...post, path: 'agent/v1/exchanged-code', json: exchange, isRepeatable: false },
          exchangedCodeSchema,
        ),
      ),
    signedInUser: (renderingId: number, accessToken: string) =>
      transport.fetchJson(
        {
          ...get,
          path: `agent/v2/renderings/${renderingId}/authorization`,
          headers: { 'service-token': accessToken },
        },
        signedInUserSchema,
      ),
  };
}
