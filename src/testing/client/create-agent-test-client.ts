import { readFile } from 'node:fs/promises';
import { type SchemaDocument, schemaDocumentSchema } from '#contracts/schema-document';
import type { TestFixtures } from '#contracts/test-platform';
import { cloudError } from '#kernel/errors/cloud-error';
import { unknownOption } from '#kernel/text/nearest-name';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import type { AnySchema, SchemaShape } from '#runtime/index';
import { agentBase, createAgentConnection } from '../wire/agent-connection.ts';
import { createKnownSchema } from '../wire/known-schema.ts';
import { createApprovals, createSandboxClient } from '../wire/sandbox-client.ts';
import { createTestUser } from '../wire/session-token.ts';
import { type AgentTestClient, createClientOf } from './agent-test-client.ts';

/** The agent under test, and the platform that it asks. */
export interface AgentTestClientOptions {
  /** The environment secret the agent runs with. */
  readonly agentForestEnvSecret: string;
  /** The auth secret the agent runs with. */
  readonly agentForestAuthSecret: string;
  /** Where the agent listens: an origin, then `/service` is taken as the prefix, or an origin with a prefix of its own. */
  readonly agentUrl: string;
  /** Where `createForestServerSandbox` listens. */
  readonly serverUrl: string;
  /** The schema file the agent wrote. It is read once. */
  readonly agentSchemaPath: string;
  /** Time zone of the user, by its IANA name. Default `Europe/Paris`. */
  readonly timezone?: string;
  /** How long an answer of the agent may take, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Users, roles and teams to begin with. Default: one developer, who may do everything. */
  readonly fixtures?: TestFixtures;
}

/**
 * A client for an agent that runs, and whose platform is a sandbox.
 *
 * @typeParam S The generated `Schema` of the project: names are completed, values have their types.
 * @throws `AGENT_OPTION_INVALID` for an unknown option, `TEST_SCHEMA_INVALID` or `TEST_AGENT_UNREACHABLE` when the schema or the
 * sandbox is not there, `AgentHttpError` for fixtures that are not valid.
 */
export async function createAgentTestClient<S extends SchemaShape<S> = AnySchema>(
  options: AgentTestClientOptions,
): Promise<AgentTestClient<S>> {
  checkOptions(options);
  const { agentForestAuthSecret, agentForestEnvSecret, timezone = 'Europe/Paris', timeoutMs, fixtures } = options;
  const document = await readSchema(options.agentSchemaPath);
  const http = createHttp({ clock: systemClock, random: systemRandom });
  const sandbox = createSandboxClient(http, options.serverUrl, agentForestEnvSecret);
  const developer = await sandbox.announceSchema(document);
  if (fixtures) await sandbox.setFixtures(fixtures);
  const base = agentBase(options.agentUrl);
  const client = createClientOf(
    createTestUser(agentForestAuthSecret, async () => developer),
    {
      schema: createKnownSchema(document),
      approvals: createApprovals(agentForestEnvSecret),
      sandbox,
      connectAs: (user) => createAgentConnection({ http, base, timezone, timeoutMs, user }),
      userNamed: (email) => createTestUser(agentForestAuthSecret, () => sandbox.findUser(email)),
    },
  );
  // The schema only tightens the types; at run time every schema is the same.
  return client as unknown as AgentTestClient<S>;
}

const optionNames = Object.keys({
  agentForestEnvSecret: true,
  agentForestAuthSecret: true,
  agentUrl: true,
  serverUrl: true,
  agentSchemaPath: true,
  timezone: true,
  timeoutMs: true,
  fixtures: true,
} satisfies Record<keyof AgentTestClientOptions, true>);

function checkOptions(options: AgentTestClientOptions): void {
  const problem = unknownOption(options, optionNames);
  if (problem === undefined) return;
  throw cloudError(
    'AGENT_OPTION_INVALID',
    `createAgentTestClient has ${problem}`,
    'Correct the option where the client is created.',
  );
}

async function readSchema(schemaPath: string): Promise<SchemaDocument> {
  try {
    return schemaDocumentSchema.parse(JSON.parse(await readFile(schemaPath, 'utf8')));
  } catch (cause) {
    throw cloudError(
      'TEST_SCHEMA_INVALID',
      `There is no schema of an agent at ${schemaPath}.`,
      'Start the agent once so that it writes its schema file, and pass its path as agentSchemaPath.',
      { cause },
    );
  }
}
