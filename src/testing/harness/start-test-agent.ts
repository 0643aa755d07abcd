import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { subscribePath } from '#contracts/platform-events';
import type { TestFixtures } from '#contracts/test-platform';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { unknownOption } from '#kernel/text/nearest-name';
import { processEnvironment } from '#node/environment/process-environment';
import type {
  Agent,
  AgentOptions,
  AnySchema,
  DataSource,
  DataSourceFactory,
  EmbeddedAgent,
  SchemaShape,
} from '#runtime/index';
import type { AgentTestClient } from '../client/agent-test-client.ts';
import { createAgentTestClient } from '../client/create-agent-test-client.ts';
import { createForestServerSandbox, type ForestServerSandbox } from '../sandbox/create-forest-server-sandbox.ts';
import { type FixedDate, fixDate } from './fixed-date.ts';
import { projectDataSources } from './project-data-sources.ts';

/** Makes an agent that is not started yet. */
export type CreateAgent = (options: AgentOptions) => EmbeddedAgent;

/** What a test agent serves, and the people that it serves. */
export interface TestAgentOptions<S extends SchemaShape<S> = AnySchema> {
  /**
   * One data source or several: `createMemoryDataSource([…])`, `createSqlDataSource('sqlite:…')`, or one of your own. Default: those of
   * `vendor-cloud.json`, with its renames and all that it says of them.
   */
  readonly dataSource?: DataSourceFactory | DataSource | readonly (DataSourceFactory | DataSource)[];
  /** Folder of the project whose `vendor-cloud.json` is read, or one below it. Default: the working folder. */
  readonly project?: string;
  /** The customization under test: the default export of the project. Default: none. */
  readonly customize?: (agent: Agent<S>) => void | Promise<void>;
  /** Users, roles and teams to begin with. Default: one developer, who may do everything. */
  readonly fixtures?: TestFixtures;
  /** The moment that `new Date()` gives, here and in the customization, until `clock` moves it. Default: the time goes on. */
  readonly now?: Date | string;
  /** Time zone of the users, by its IANA name. Default `UTC`. */
  readonly timezone?: string;
  /** Further options of the agent, as `createAgent` takes them. */
  readonly agentOptions?: Partial<Omit<AgentOptions, 'authSecret' | 'envSecret' | 'serverUrl' | 'schemaPath'>>;
}

/** An agent with a client and a platform of its own, in this process. */
export interface TestAgent<S extends SchemaShape<S> = AnySchema> {
  /** Of a developer, who may do everything; `client.as(email)` is that of somebody else. */
  readonly client: AgentTestClient<S>;
  /** Its journal and its faults are those of this agent only. */
  readonly sandbox: ForestServerSandbox;
  /** Where the REST API answers, prefix included. */
  readonly url: string;
  /** Moves the date. Throws `TEST_OPTION_INVALID` where the option `now` is not set. */
  readonly clock: FixedDate;
  /** Close everything that was opened, and let the date go on. May be called again. */
  close(): Promise<void>;
}

/**
 * Start an agent for the tests of a customization: one call, free ports on this machine, no files left behind. Rejects as
 * `EmbeddedAgent.start` and `createAgentTestClient` do, with everything closed, and with `TEST_OPTION_INVALID`.
 */
export async function startTestAgentOn<S extends SchemaShape<S> = AnySchema>(
  createAgent: CreateAgent,
  options: TestAgentOptions<S>,
): Promise<TestAgent<S>> {
  checkOptions(options);
  const closers: Closer[] = [];
  const close = createClose(closers);
  try {
    const fixed = options.now === undefined ? undefined : await fixDate(options.now);
    closers.push(() => fixed?.release());
    const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-test-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const sandbox = await createForestServerSandbox(0);
    closers.push(sandbox.close);
    const secrets = { envSecret: randomBytes(32).toString('hex'), authSecret: randomBytes(32).toString('hex') };
    const schemaPath = path.join(folder, 'schema.json');
    const agent = createAgent({
      loggerLevel: 'Error',
      activityOutbox: { folder: path.join(folder, 'activity') },
      ...options.agentOptions,
      ...secrets,
      serverUrl: sandbox.url,
      schemaPath,
    });
    closers.push(() => agent.stop());
    await start(agent, options);
    if (options.agentOptions?.instantCacheRefresh !== false) await sandbox.waitForRequest({ path: subscribePath });
    const url = `http://127.0.0.1:${agent.standaloneServerPort}${options.agentOptions?.prefix ?? '/service'}`;
    const client = await createAgentTestClient<S>({
      agentForestEnvSecret: secrets.envSecret,
      agentForestAuthSecret: secrets.authSecret,
      agentUrl: url,
      serverUrl: sandbox.url,
      agentSchemaPath: schemaPath,
      timezone: options.timezone ?? 'UTC',
      ...(options.fixtures && { fixtures: options.fixtures }),
    });
    return { client, sandbox, url, clock: fixed ?? unfixed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Closer = () => unknown;

/** Closes what was opened last first, once, and goes on where something does not close. Rejects with the first failure. */
function createClose(closers: readonly Closer[]): () => Promise<void> {
  let closing: Promise<void> | undefined;
  const close = async () => {
    const failures: unknown[] = [];
    for (const closer of closers.toReversed()) {
      try {
        await closer();
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  return () => {
    closing ??= close();
    return closing;
  };
}

async function start<S extends SchemaShape<S>>(
  agent: EmbeddedAgent,
  { dataSource, project, customize }: TestAgentOptions<S>,
): Promise<void> {
  const sources = await sourcesOf(dataSource, project);
  for (const source of sources) agent.addDataSource(source);
  // The schema only tightens the types of the declarations; at run time every schema is the same.
  await customize?.(agent as unknown as Agent<S>);
  await agent.mountOnStandaloneServer(0).start();
}

async function sourcesOf(
  given: TestAgentOptions['dataSource'],
  project = processEnvironment.workingFolder,
): Promise<readonly (DataSourceFactory | DataSource)[]> {
  if (given === undefined) return projectDataSources(project);
  return isList(given) ? given : [given];
}

function isList(source: TestAgentOptions['dataSource']): source is readonly (DataSourceFactory | DataSource)[] {
  return Array.isArray(source);
}

const optionNames = Object.keys({
  dataSource: true,
  project: true,
  customize: true,
  fixtures: true,
  now: true,
  timezone: true,
  agentOptions: true,
} satisfies Record<keyof TestAgentOptions, true>);

function checkOptions(options: object): void {
  const problem = unknownOption(options, optionNames);
  if (problem !== undefined) throw unusable(`startTestAgent has ${problem}`, 'Correct the option.');
  if ('dataSource' in options && 'project' in options)
    throw unusable(
      'startTestAgent has the options "dataSource" and "project", which both name databases.',
      'Leave one of them out.',
    );
}

const unfixed: FixedDate = { set: refuseToMove, advance: refuseToMove };

function refuseToMove(): never {
  throw unusable('The date of the test agent goes on by itself.', 'Start the test agent with the option "now".');
}

function unusable(message: string, nextStep: string): CloudError {
  return cloudError('TEST_OPTION_INVALID', message, nextStep);
}
