import { type EnvironmentSettings, environmentListSchema } from '#contracts/environments';
import { type Caller, callerSchema } from '#contracts/identity';
import { createDeploymentClient, type DeploymentClient } from './deployment-client.ts';
import { createPlatformTransport, type PlatformClientOptions, type PlatformTransport } from './platform-transport.ts';

export interface CallerClient {
  /** Who the token belongs to. */
  me(): Promise<Caller>;
  /** The environments of the project, by name. */
  environments(): Promise<readonly EnvironmentSettings[]>;
}

export function createCallerClient(transport: PlatformTransport): CallerClient {
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  return {
    me: () => transport.fetchJson({ ...get, path: 'api/me' }, callerSchema),
    environments: async () =>
      (await transport.fetchJson({ ...get, path: 'api/environments' }, environmentListSchema)).environments,
  };
}

/** What whoever deploys needs of the platform. */
export interface DeployingClient extends CallerClient, DeploymentClient {}

/**
 * A small part of `createPlatformClient`. That one has the shape of every answer of the platform, and to make the shapes takes longer
 * than to ask.
 */
export function createDeployingClient(options: PlatformClientOptions): DeployingClient {
  const transport = createPlatformTransport(options);
  return { ...createCallerClient(transport), ...createDeploymentClient(transport) };
}
