import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createSqlDataSource, type LogFunction } from '../../src/exports/agent.ts';
import { startTestAgent, type TestAgent, type TestAgentOptions } from '../../src/exports/agent-testing.ts';
import { createShopFile } from './shop-agent.ts';

export interface ShopTestAgentOptions extends Partial<TestAgentOptions> {
  /** SQL that makes further tables. */
  readonly moreTables?: string;
  /** Of the data source. */
  readonly sqlOptions?: Parameters<typeof createSqlDataSource>[1];
}

export interface ShopTestAgent extends TestAgent {
  readonly databaseUri: string;
  /** What the agent logged as an error, with its cause. */
  readonly log: readonly string[];
}

/** A test agent on a shop of its own. The caller closes it. */
export async function openShopTestAgent(options: ShopTestAgentOptions = {}): Promise<ShopTestAgent> {
  const { moreTables, sqlOptions, agentOptions, ...more } = options;
  const folder = await mkdtemp(path.join(tmpdir(), 'tested-shop-'));
  const databaseUri = await createShopFile(folder, moreTables);
  const log: string[] = [];
  const logger: LogFunction = (level, message, fields) => {
    const error = fields?.['error'];
    if (level === 'Error') log.push(`${message} ${error ?? ''} ${error instanceof Error ? error.cause : ''}`);
  };
  const agent = await startTestAgent({
    dataSource: createSqlDataSource(databaseUri, sqlOptions),
    agentOptions: { logger, ...agentOptions },
    ...more,
  });
  const close = async () => {
    await agent.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...agent, databaseUri, log, close };
}

/** The same, until the test ends. */
export async function startShopTestAgent(options: ShopTestAgentOptions = {}): Promise<ShopTestAgent> {
  const agent = await openShopTestAgent(options);
  onTestFinished(() => agent.close());
  return agent;
}
