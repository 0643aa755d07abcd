import { sha256Hex } from '#node/system/digest';
import { type Platform, type PlatformOptions, startPlatform } from '#platform/index';
import { testSwitches } from './fixtures/fixture-routes.ts';
import type { TestTraffic } from './fixtures/test-traffic.ts';
import {
  type DevelopmentAccess,
  type DevelopmentInput,
  signInDeveloper,
} from './provisioning/provision-development.ts';
import { type PersonInput, type ProvisionedPerson, provisionPerson } from './provisioning/provision-person.ts';

export interface SandboxOptions extends Omit<PlatformOptions, 'testSwitches' | 'observe'> {
  /** Answer the routes of `#contracts/test-platform` and take any environment secret. Default false. */
  readonly isForTests?: boolean;
  /** Keeps a journal of the requests, and makes them fail if a test says so. Default: no journal. */
  readonly traffic?: TestTraffic;
}

interface SandboxPerson extends Omit<PersonInput, 'environment'> {
  readonly envSecret: string;
}

/** A platform that makes projects and people by itself, without a sign-in. */
export interface Sandbox extends Omit<Platform, 'parts'> {
  /** Make sure that project, development environment and user exist, and sign the user in. */
  provisionDevelopment(input: DevelopmentInput): Promise<DevelopmentAccess>;
  /** Make sure that somebody is a user of the project of the environment, with a role and a team. */
  provisionPerson(input: SandboxPerson): Promise<ProvisionedPerson>;
  revoke(userToken: string): Promise<void>;
}

/** Start the platform of one developer on this machine. Rejects as `startPlatform` does, and leaves nothing open. */
export async function startSandbox({ isForTests, traffic, ...options }: SandboxOptions): Promise<Sandbox> {
  const { parts, ...platform } = await startPlatform({
    ...options,
    ...(isForTests && { testSwitches }),
    ...(traffic && { observe: (server) => traffic.watch(server) }),
  });
  return {
    ...platform,
    provisionDevelopment: (input) => signInDeveloper(parts, input),
    provisionPerson: async ({ envSecret, ...person }) => {
      const environment = await parts.identity.findEnvironmentBySecret(sha256Hex(envSecret));
      if (!environment) throw new TypeError('No environment has that secret.');
      return provisionPerson(parts, { environment, ...person });
    },
    revoke: (userToken) => parts.tokens.revoke(userToken),
  };
}
