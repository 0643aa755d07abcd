import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { openSqlite } from '#host/sqlite-connection';
import { systemClock } from '#host/system-clock';
import { systemRandom } from '#host/system-random';
import { type Logger, silentLogger } from '#kernel/ports/logger';
import { type AgentRuntime, type AgentRuntimeOptions, createAgentRuntime, createSqlDataSource } from '#runtime/index';
import type { RestAddress } from './rest-call.ts';
import { temporaryFolder } from './temporary-folder.ts';

export { call } from './rest-call.ts';

export const authSecret = 'the auth secret of a test, long enough';

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
const shopSchema = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    ref TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'paid')),
    total DECIMAL(12,2),
    placed_at DATETIME,
    customer_id INTEGER REFERENCES customers(id)
  );
  CREATE TABLE lines (
    order_id INTEGER NOT NULL REFERENCES orders(id),
    sku TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    PRIMARY KEY (order_id, sku)
  );
  CREATE TABLE events (at DATETIME, text TEXT);
  CREATE TABLE "a b/ç" (id INTEGER PRIMARY KEY, label TEXT);
  INSERT INTO customers VALUES (1, 'Zed', 'FR'), (2, 'Ünal', 'DE');
  INSERT INTO orders VALUES
    (1, 'A-1', 'paid', 10.5, '2024-04-01T10:00:00.000Z', 1),
    (2, 'A-2', 'draft', 20, '2024-05-01T10:00:00.000Z', 1),
    (3, 'A-3', 'draft', NULL, NULL, 2),
    (4, 'A-4', 'paid', 40, NULL, NULL);
  INSERT INTO lines VALUES (4, 'ab', 3), (4, 'a|b', 1), (1, 'ab', 2);
  INSERT INTO events VALUES ('2024-04-01T10:00:00.000Z', 'opened');
  INSERT INTO "a b/ç" VALUES (1, 'odd');
`;

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

/** Create the file of a small shop. */
export async function createShopFile(moreTables = ''): Promise<string> {
  const file = path.join(await temporaryFolder(), 'shop.sqlite');
  const connection = await openSqlite(file);
  connection.execute(shopSchema + moreTables);
  connection.close();
  return `sqlite:${file}`;
}

/** Options of an agent on free ports, but for its data sources. */
export function runtimeOptions(logger: Logger = silentLogger): Omit<AgentRuntimeOptions, 'dataSources'> {
  return {
    authSecret,
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
  const databaseUri = await createShopFile(moreTables);
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
