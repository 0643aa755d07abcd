import { readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { nodeFileSystem } from '#node/files/node-file-system';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import type { ActivityPlatform } from '#runtime/activity/activity-sender';
import type { AgentPlatform } from '#runtime/agent/assemble/agent-platform';
import {
  type AgentRuntime,
  type AgentRuntimeOptions,
  createAgentRuntime,
  createSqlDataSource,
  type LogFunction,
} from '#runtime/index';
import type { PermissionSource } from '#runtime/permissions/permission-documents';
import type { IpRuleSource } from '#runtime/surfaces/request/ip-filter';
import { marksInMemory } from './mcp-marks.ts';
import type { RestAddress } from './rest-call.ts';
import { temporaryFolder } from './temporary-folder.ts';

export { call } from './rest-call.ts';

export const authSecret = 'the auth secret of a test, long enough';

export const envSecret = 'e'.repeat(64);

export const identity: AgentTokenClaims = {
  id: 7,
  email: 'ada@example.test',
  firstName: 'Ada',
  lastName: 'Lovelace',
  team: 'Operations',
  role: 'Operations',
  permissionLevel: 'user',
  renderingId: 3,
  tags: {},
};

/** The tables of a small shop, with a few records. */
const shopTables = readFileSync(new URL('../contract/rest/shop.sql', import.meta.url), 'utf8');

/** What a platform permits. Default for programs: whatever their people may. */
type PermissionsOfPlatform = Omit<PermissionSource, 'clientPermissions'>;

/** A platform in whose environment everything is allowed. */
const developmentPlatform: PermissionsOfPlatform = {
  environmentPermissions: async () => true,
  users: async () => [],
  renderingPermissions: async () => ({ team: { id: 1, name: 'Operations' }, collections: {}, stats: [] }),
};

export interface ShopAgent extends RestAddress {
  readonly runtime: AgentRuntime;
  readonly mcpUrl: string;
  readonly mcpToken: string;
  /** What was logged as an error. */
  readonly log: readonly string[];
  readonly databaseUri: string;
}

/** Create the file of a small shop, in a folder that is gone when the test ends unless there is another. */
export async function createShopFile(folder?: string, moreTables = ''): Promise<string> {
  const file = path.join(folder ?? (await temporaryFolder()), 'shop.sqlite');
  const connection = await openSqlite(file);
  connection.execute(shopTables + moreTables);
  connection.close();
  return `sqlite:${file}`;
}

export interface ShopAgentOptions extends Partial<AgentRuntimeOptions> {
  /** The platform: what it permits, and what else a test needs of it. Default: everything is allowed, and no more. */
  readonly platform?: PermissionsOfPlatform & Partial<AgentPlatform>;
  /** From where the agent may be reached. Default: from anywhere. */
  readonly ipRules?: IpRuleSource;
  /** Where clients reach the MCP server. Default: where it listens. */
  readonly mcpServerUrl?: string;
  /** Where the agent reports what people do. Default: nowhere. */
  readonly activity?: { readonly platform: ActivityPlatform; readonly serverUrl: string; readonly folder: string };
}

/** An agent that has not loaded anything yet, on free ports; it stops when the test ends. */
export function createShopRuntime(
  { platform = developmentPlatform, ipRules, activity, mcpServerUrl, ...options }: ShopAgentOptions,
  log: LogFunction = () => undefined,
): AgentRuntime {
  const ports = {
    fs: nodeFileSystem,
    clock: systemClock,
    random: systemRandom,
    serverUrl: activity?.serverUrl ?? 'https://platform.test',
    port: undefined,
    mcpServerUrl,
    mcpEnabledTools: undefined,
    mcpReadOnly: undefined,
    log,
    workingFolder: path.resolve('test'),
    version: '0.0.0',
    connectPlatform: () => platformWith(platform, ipRules, activity?.platform),
  };
  const runtime = createAgentRuntime(ports, {
    authSecret,
    envSecret,
    dataSources: {},
    stateFolder: activity?.folder ?? null,
    identity,
    agentPort: { port: 0, isExact: true },
    mcpPort: { port: 0, isExact: true },
    ...options,
  });
  onTestFinished(() => runtime.stop(0));
  return runtime;
}

/** A platform that announces nothing, where nobody signs in and nobody has customized anything. */
function platformWith(
  platform: PermissionsOfPlatform & Partial<AgentPlatform>,
  ipRules: IpRuleSource = { ipRules: async () => ({ use_ip_whitelist: false, rules: [] }) },
  activities: ActivityPlatform = { reportActivities: async () => undefined },
): AgentPlatform {
  const nobody = async () => {
    throw new TypeError('Nobody signs in at the platform of a test.');
  };
  return {
    ipRules: () => ipRules.ipRules(),
    recordHistory: async () => ({ writes: [], next: null }),
    reportActivities: (...report) => activities.reportActivities(...report),
    endedSessions: async () => ({ people: [] }),
    clientPermissions: async () => ({ clients: null, grants: [] }),
    serviceAccount: nobody,
    spendApproval: spendOnce(),
    signIn: { begin: nobody, finish: nobody },
    signedInUser: nobody,
    printedToken: nobody,
    exchangedCode: nobody,
    mcpMarks: marksInMemory(),
    recordNotes: {
      ...{ list: nobody, inbox: nobody, begin: nobody, reply: nobody, edit: nobody, markRead: nobody },
      findPeople: nobody,
    },
    approvalRequests: { file: nobody, tellApprovers: nobody, open: nobody, grant: nobody, end: nobody },
    mcpState: { save: nobody, find: nobody, use: nobody, remove: nobody, setGrantRights: nobody },
    person: nobody,
    checkSchemaHash: async () => ({ sendSchema: false }),
    uploadSchema: async () => undefined,
    modelCustomizations: async () => [],
    sendHttp: nobody,
    followEvents: () => ({ close: () => undefined }),
    close: async () => undefined,
    environment: async () => ({
      data: { id: '1', attributes: { name: 'test', type: 'development', api_endpoint: null } },
    }),
    ...platform,
  };
}

/** Remembers approvals as a platform does. */
export function spendOnce(): AgentPlatform['spendApproval'] {
  const runs = new Map<string, string>();
  return async ({ digest, runId }) => {
    if (!runs.has(digest)) runs.set(digest, runId);
    return { isFirstRun: runs.get(digest) === runId };
  };
}

/** An agent on a shop of its own that listens on free ports, and stops when the test ends. */
export async function startShopAgent(
  customize: unknown = () => undefined,
  options: ShopAgentOptions = {},
  moreTables = '',
): Promise<ShopAgent> {
  const databaseUri = await createShopFile(undefined, moreTables);
  const log: string[] = [];
  const logError: LogFunction = (level, message, fields) => {
    const error = fields?.['error'];
    if (level === 'Error') log.push(`${message} ${error ?? ''} ${error instanceof Error ? error.cause : ''}`);
  };
  const dataSources = { main: createSqlDataSource(databaseUri) };
  const runtime = createShopRuntime({ dataSources, ...options }, logError);
  await runtime.load(customize);
  const urls = await runtime.listen();
  const token = await runtime.issueAgentToken();
  const mcpToken = await runtime.issueMcpToken();
  return { runtime, ...urls, token, mcpToken, log, databaseUri };
}
