import type { PluginAgent } from './agent.ts';
import type { Declaration } from './declaration.ts';

/** What collects declarations, and what has to be awaited before they are complete. */
export interface DeclarationSink {
  readonly agent: PluginAgent;
  record(declaration: Declaration): void;
  await(result: unknown): void;
}
