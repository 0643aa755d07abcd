import { onTestFinished } from 'vitest';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { startTestAgent, type TestAgent, type TestAgentOptions } from '../../src/exports/agent-testing.ts';
import { createShopFile } from './shop-agent.ts';

/** A test agent on a shop of its own; it closes when the test ends. */
export async function startShopTestAgent(options: Partial<TestAgentOptions> = {}): Promise<TestAgent> {
  const agent = await startTestAgent({ dataSource: createSqlDataSource(await createShopFile()), ...options });
  onTestFinished(() => agent.close());
  return agent;
}
