import type { PluginAgent } from './agent.ts';
import type { Declaration } from './declaration.ts';

/** Collects declarations, and the promises to await before they are complete. */
export interface DeclarationSink {
  readonly agent: PluginAgent;
  add(declaration: Declaration): void;
  await(result: unknown): void;
}
