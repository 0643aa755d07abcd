import path from 'node:path';
import type { HostedProgram, HostVariables } from '#contracts/hosting';
import { layeredEnv } from '#kernel/ports/env';
import { resolveDataSources } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { hostIdentity, onPlatform, withoutSecrets } from './host-worker.ts';
import { ServingPool } from './serving-pool.ts';

/** The worker asks no platform, and nobody asks the worker. */
const nobody = { platformUrl: 'http://127.0.0.1:9', envSecret: '0'.repeat(64) };
const noPort = { port: 0, isExact: false };

/**
 * Load and test a deployment as a host would, in a worker of this process that serves nobody. Rejects with what is wrong with
 * it.
 *
 * @param stateFolder Private to the platform.
 * @param signal Ends the check when it is aborted.
 */
export async function checkDeployment(
  context: FlowContext,
  stateFolder: string,
  hosted: HostedProgram,
  code: Uint8Array,
  { variables, authSecret }: HostVariables,
  signal: AbortSignal,
): Promise<void> {
  const pool = new ServingPool({
    size: 1,
    url: context.agentWorkerUrl,
    clock: context.clock,
    environment: withoutSecrets(context.variables),
    data: {
      ...nobody,
      authSecret,
      projectRoot: path.join(stateFolder, 'check'),
      stateFolder: null,
      identity: hostIdentity,
      bindAddress: '127.0.0.1',
      isServing: false,
      isUnrestricted: true,
      waitsForDatabases: false,
      mayDatabasesBeAway: false,
      followsTables: false,
      logLevel: 'Error',
      agentPort: noPort,
      mcpPort: noPort,
      mcpTools: undefined,
      mcpReadOnly: false,
      durableWrites: true,
      mcpServerUrl: undefined,
      version: context.package.version,
    },
    // What it prints and meets is in the error, or does not matter.
    onOutput: () => undefined,
    onRequestFailed: () => undefined,
    onLost: () => undefined,
  });
  const end = () => void pool.stop(0);
  signal.addEventListener('abort', end, { once: true });
  try {
    await pool.check({
      code: new TextDecoder().decode(code),
      dataSources: resolveDataSources(hosted.dataSources, stateFolder, layeredEnv(variables, {}), onPlatform),
      activityRequired: false,
      rest: {},
      codeVersion: hosted.version,
      environment: variables,
    });
  } finally {
    signal.removeEventListener('abort', end);
    await pool.stop(0);
  }
}
