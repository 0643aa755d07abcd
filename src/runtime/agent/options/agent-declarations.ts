import type { RecordingAgent } from '../../customizer/declaration-recorder.ts';
import type { DataSourceFactory } from '../../data-sources/interface/data-source.ts';
import type { ServerPlace } from '../serve/agent-serving.ts';

/** The declarations that an application has made on its agent so far. */
export interface AgentDeclarations {
  readonly factories: DataSourceFactory[];
  readonly customizations: ((agent: RecordingAgent) => void)[];
  hasAi: boolean;
  /** The standalone server. */
  server: ServerPlace | undefined;
}

export function createAgentDeclarations(): AgentDeclarations {
  return { factories: [], customizations: [], hasAi: false, server: undefined };
}
