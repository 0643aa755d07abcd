import { defaultToolNames, type McpScope, mcpScopes } from '#contracts/mcp';
import { tools } from './index.ts';
import type { RegistrableTool } from './tool.ts';

/** The tools of one server. */
export interface EnabledTools {
  /** The scopes that a token needs for all of them. */
  readonly scopes: readonly McpScope[];
  /** The tools that a token with these scopes may use, in the order of the catalogue. */
  allowedBy(scopes: readonly string[]): readonly RegistrableTool[];
  /** `undefined` for a tool that there is not, or that is off. */
  find(name: unknown): RegistrableTool | undefined;
}

/**
 * @param names of the tools to serve; default: the ten of the specification.
 * @param isReadOnly leaves out those that write.
 */
export function enableTools(names: readonly string[] = defaultToolNames, isReadOnly = false): EnabledTools {
  const enabled = tools.filter(({ name, hints }) => names.includes(name) && (hints.readOnlyHint || !isReadOnly));
  const byName = new Map<unknown, RegistrableTool>(enabled.map((tool) => [tool.name, tool]));
  return {
    scopes: mcpScopes.filter((wanted) => enabled.some(({ scope }) => scope === wanted)),
    allowedBy: (scopes) => enabled.filter(({ scope }) => scopes.includes(scope)),
    find: (name) => byName.get(name),
  };
}
