import { readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { openSqlite } from '#host/sqlite/sqlite-connection';
import { systemClock } from '#host/system/system-clock';
import { systemRandom } from '#host/system/system-random';
import { type Logger, silentLogger } from '#kernel/ports/logger';
import { type AgentRuntime, type AgentRuntimeOptions, createAgentRuntime, createSqlDataSource } from '#runtime/index';
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

/** A platform in whose environment everything is allowed. */
const developmentPlatform: AgentRuntimeOptions['platform'] = {
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

/** Options of an agent on free ports, but for its data sources. */
export function runtimeOptions(logger: Logger = silentLogger): Omit<AgentRuntimeOptions, 'dataSources'> {
  return {
    authSecret,
    envSecret,
    platform: developmentPlatform,
    identity,
    agentPort: { port: 0, isExact: true },
    mcpPort: { port: 0, isExact: true },
    logger,
    clock: systemClock,
    random: systemRandom,
    version: '0.0.0',
    projectRoot: path.resolve('test'),
  };
}

/** An agent on a shop of its own that listens on free ports, and stops when the test ends. */
export async function startShopAgent(
  customize: unknown = () => undefined,
  options: Partial<AgentRuntimeOptions> = {},
  moreTables = '',
): Promise<ShopAgent> {
  const databaseUri = await createShopFile(undefined, moreTables);
  const log: string[] = [];
  const logger: Logger = {
    log: (level, message, fields) => {
      const error = fields?.['error'];
      if (level === 'Error') log.push(`${message} ${error ?? ''} ${error instanceof Error ? error.cause : ''}`);
    },
  };
  const dataSources = { main: createSqlDataSource(databaseUri) };
  const runtime = createAgentRuntime({ ...runtimeOptions(logger), dataSources, ...options });
  onTestFinished(() => runtime.stop(0));
  await runtime.load(customize);
  const urls = await runtime.listen();
  const token = await runtime.issueAgentToken();
  const mcpToken = await runtime.issueMcpToken();
  return { runtime, ...urls, token, mcpToken, log, databaseUri };
}
