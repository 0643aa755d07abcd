import { readFile } from 'node:fs/promises';
import { type SchemaDocument, schemaDocumentSchema } from '#contracts/schema-document';
import {
  type ActionOverride,
  type CollectionOverride,
  type PermissionOverrides,
  type TestIdentity,
  testIdentitySchema,
} from '#contracts/test-platform';
import { createHttp } from '#host/http/http-client';
import { systemClock } from '#host/system/system-clock';
import { systemRandom } from '#host/system/system-random';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Http } from '#kernel/ports/http';
import { unknownOption } from '#kernel/text/unknown-option';
import { type CollectionClient, createCollectionClient } from './collection-client.ts';
import { exchangeJson } from './json-exchange.ts';
import { createTokenSource } from './session-token.ts';

export interface AgentTestClientOptions {
  /** The environment secret the agent runs with. */
  readonly agentForestEnvSecret: string;
  /** The auth secret the agent runs with. */
  readonly agentForestAuthSecret: string;
  /** Where the agent listens: an origin, then `/service` is taken as the prefix, or an origin with a prefix of its own. */
  readonly agentUrl: string;
  /** Where `createForestServerSandbox` listens. */
  readonly serverUrl: string;
  /** The schema file the agent wrote. */
  readonly agentSchemaPath: string;
  /** Time zone of the user. Default `Europe/Paris`. */
  readonly timezone?: string;
}

/** Talks to a running agent, in whatever language it is written, as its one user. */
export interface AgentTestClient {
  collection(name: string): CollectionClient;
  /**
   * Take rights on a collection away, or give them back; what was overridden before stays. A running agent hears of it at
   * once; one with `instantCacheRefresh: false` keeps the permissions it has read for a while.
   */
  overrideCollectionPermission(collection: string, rights: CollectionOverride): Promise<void>;
  overrideActionPermission(collection: string, action: string, rights: ActionOverride): Promise<void>;
  /** Everything is allowed again. */
  clearPermissionOverride(): Promise<void>;
}

/** Rejects with `AGENT_OPTION_INVALID`, and with `TEST_SCHEMA_INVALID` or `TEST_AGENT_UNREACHABLE` when the schema or the sandbox is not there. */
export async function createAgentTestClient(options: AgentTestClientOptions): Promise<AgentTestClient> {
  checkOptions(options);
  const document = await readSchema(options.agentSchemaPath);
  const http = createHttp({ clock: systemClock, random: systemRandom });
  const sandbox = createSandboxClient(http, options);
  const tokenOf = createTokenSource(options.agentForestAuthSecret, await sandbox.announceSchema(document));
  const base = agentBase(options.agentUrl);
  const timezone = options.timezone ?? 'Europe/Paris';
  return {
    collection: (name) =>
      createCollectionClient(
        name,
        async (method, path, json) =>
          exchangeJson(http, {
            method,
            url: base + path,
            headers: { authorization: `Bearer ${await tokenOf()}` },
            ...(json === undefined ? {} : { json }),
          }),
        timezone,
      ),
    overrideCollectionPermission: (collection, rights) => sandbox.override({ [collection]: { collection: rights } }),
    overrideActionPermission: (collection, action, rights) =>
      sandbox.override({ [collection]: { actions: { [action]: rights } } }),
    clearPermissionOverride: () => sandbox.clearOverrides(),
  };
}

const optionNames = Object.keys({
  agentForestEnvSecret: true,
  agentForestAuthSecret: true,
  agentUrl: true,
  serverUrl: true,
  agentSchemaPath: true,
  timezone: true,
} satisfies Record<keyof AgentTestClientOptions, true>);

function checkOptions(options: AgentTestClientOptions): void {
  const problem = unknownOption(options, optionNames);
  if (problem === undefined) return;
  throw new CloudError({
    code: 'AGENT_OPTION_INVALID',
    message: `createAgentTestClient has ${problem}`,
    nextSteps: ['Correct the option where the client is created.'],
  });
}

function createSandboxClient(http: Http, { serverUrl, agentForestEnvSecret }: AgentTestClientOptions) {
  const headers = { 'service-secret-key': agentForestEnvSecret };
  const at = (path: string) => serverUrl.replace(/\/+$/, '') + path;
  return {
    announceSchema: async (document: SchemaDocument): Promise<TestIdentity> =>
      testIdentitySchema.parse(
        await exchangeJson(http, { method: 'POST', url: at('/agent-schema'), headers, json: document }),
      ),
    override: async (overrides: PermissionOverrides) => {
      await exchangeJson(http, { method: 'POST', url: at('/permission-override'), headers, json: overrides });
    },
    clearOverrides: async () => {
      await exchangeJson(http, { method: 'DELETE', url: at('/permission-override'), headers });
    },
  };
}

async function readSchema(schemaPath: string): Promise<SchemaDocument> {
  try {
    return schemaDocumentSchema.parse(JSON.parse(await readFile(schemaPath, 'utf8')));
  } catch (cause) {
    throw new CloudError({
      code: 'TEST_SCHEMA_INVALID',
      message: `There is no schema of an agent at ${schemaPath}.`,
      nextSteps: ['Start the agent once so that it writes its schema file, and pass its path as agentSchemaPath.'],
      cause,
    });
  }
}

function agentBase(agentUrl: string): string {
  const { origin, pathname } = new URL(agentUrl);
  const prefix = pathname.replace(/\/+$/, '');
  return `${origin}${prefix === '' ? '/service' : prefix}`;
}
