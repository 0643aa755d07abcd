import type { PortWish } from '#host/http/listen-on-port';
import type { Agent } from '../../customizer/agent.ts';
import type { DataSourceFactory } from '../../data-sources/interface/data-source.ts';

/** Where a standalone server listens. */
export interface StandaloneMount {
  readonly port: PortWish;
  readonly host: string;
}

/** What an embedded agent was told before it was started. */
export interface AgentDeclarations {
  readonly factories: DataSourceFactory[];
  readonly customizations: ((agent: Agent) => void)[];
  mount: StandaloneMount | undefined;
}

export function createAgentDeclarations(): AgentDeclarations {
  return { factories: [], customizations: [], mount: undefined };
}

/** Every customization in the order it was declared, as one. */
export function customizeWith(customizations: readonly ((agent: Agent) => void)[]): (agent: Agent) => void {
  return (agent) => {
    for (const customize of customizations) customize(agent);
  };
}
