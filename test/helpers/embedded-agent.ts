import path from 'node:path';
import { onTestFinished } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { type DevelopmentAccess, type Sandbox, type SandboxOptions, startSandbox } from '#sandbox/index';
import { type AgentOptions, createAgent, type EmbeddedAgent } from '../../src/exports/agent.ts';
import { createShopFile, identity } from './shop-agent.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Of the environment of the agent. */
export const envSecret = 'b'.repeat(64);
const authSecret = 'the auth secret of an embedded agent';

export interface EmbeddedShop {
  /** Not started, without a data source and mounted on nothing. */
  readonly agent: EmbeddedAgent;
  /** Another agent of the same application, stopped when the test ends. */
  newAgent(options?: Partial<AgentOptions>): EmbeddedAgent;
  /** A shop for it. */
  readonly databaseUri: string;
  /** Where it writes its files. */
  readonly folder: string;
  readonly schemaPath: string;
  /** For its REST API. */
  readonly token: string;
  /** Of its developer to the platform. */
  readonly access: DevelopmentAccess;
  readonly sandbox: Sandbox;
  readonly authSecret: string;
}

/** An agent of an application, with a platform of its own; both stop when the test ends. */
export async function createEmbeddedShop(
  options: Partial<AgentOptions> = {},
  platform: Partial<SandboxOptions> = {},
): Promise<EmbeddedShop> {
  const { close, ...shop } = await openEmbeddedShop(await temporaryFolder(), options, platform);
  onTestFinished(close);
  return shop;
}

/** The same in a folder that is there, until it is closed. */
export async function openEmbeddedShop(
  folder: string,
  options: Partial<AgentOptions> = {},
  platform: Partial<SandboxOptions> = {},
): Promise<EmbeddedShop & { close(): Promise<void> }> {
  const sandbox = await startSandbox({
    store: { dialect: 'sqlite', storage: path.join(folder, 'store.sqlite') },
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    ...platform,
  });
  const access = await sandbox.provisionDevelopment({
    project: 'shop',
    envSecret,
    user: { name: 'Ada', email: 'ada@example.test' },
  });
  const schemaPath = path.join(folder, '.service-schema.json');
  const common = { authSecret, envSecret, serverUrl: sandbox.url, schemaPath, logger: () => undefined, ...options };
  const agents: EmbeddedAgent[] = [];
  const newAgent = (more: Partial<AgentOptions> = {}) => {
    const agent = createAgent({ ...common, ...more });
    agents.push(agent);
    return agent;
  };
  const close = async () => {
    for (const agent of agents) await agent.stop();
    await sandbox.stop();
  };
  const token = await createSessionTokens(authSecret, systemClock, () => false).issue(identity);
  const databaseUri = await createShopFile(folder);
  return { agent: newAgent(), newAgent, databaseUri, folder, schemaPath, token, authSecret, access, sandbox, close };
}
