import type { Agent } from './agent.ts';
import type { Declaration } from './declaration.ts';

/** What collects declarations, and what has to be awaited before they are complete. */
export interface DeclarationSink {
  readonly agent: Agent;
  record(declaration: Declaration): void;
  await(result: unknown): void;
}
