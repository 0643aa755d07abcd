import type { Platform, ReachAgent } from '#platform/index';

/** Where the agent of an environment answers the platform, with its prefix. */
export interface AgentAddress {
  /** Default: any project that has such an environment. */
  readonly project?: string | undefined;
  readonly environment: string;
  readonly url: string;
}

/** The agents that a platform calls for the console: those that were named, and the one in its own process. */
export interface ReachedAgents {
  readonly addressOf: ReachAgent;
  /** Which platform knows the environment of the own process. */
  lookIn(platform: Pick<Platform, 'findEnvironment'>): void;
  /** The agent of the own process serves. */
  hostedAt(url: string): void;
}

/** @param hostedSecret of the environment whose agent runs in this process, where one does. */
export function createReachedAgents(addresses: readonly AgentAddress[], hostedSecret?: string): ReachedAgents {
  let platform: Pick<Platform, 'findEnvironment'> | undefined;
  let hostedUrl: string | undefined;
  return {
    addressOf: async ({ id, name, projectName }) => {
      const named = addresses.find(
        ({ project = projectName, environment }) => project === projectName && environment === name,
      );
      if (named || hostedSecret === undefined || hostedUrl === undefined) return named?.url;
      const hosted = await platform?.findEnvironment(hostedSecret);
      return hosted?.id === id ? hostedUrl : undefined;
    },
    lookIn: (found) => {
      platform = found;
    },
    hostedAt: (url) => {
      hostedUrl = url;
    },
  };
}
