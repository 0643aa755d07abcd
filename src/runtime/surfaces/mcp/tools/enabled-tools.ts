import { defaultToolNames } from '#contracts/mcp';
import { tools } from './index.ts';
import type { RegistrableTool } from './tool.ts';

/** The tools of one server. */
export interface EnabledTools {
  /** The tools that a token with these scopes may use, in the order of the catalogue. */
  allowedBy(scopes: readonly string[]): readonly RegistrableTool[];
  /** `undefined` for a tool that there is not, or that is off. */
  find(name: unknown): RegistrableTool | undefined;
}

/** @param names of the tools to serve; default: the ten of the specification. */
export function enableTools(names: readonly string[] = defaultToolNames): EnabledTools {
  const enabled = tools.filter(({ name }) => names.includes(name));
  const byName = new Map<unknown, RegistrableTool>(enabled.map((tool) => [tool.name, tool]));
  return {
    allowedBy: (scopes) => enabled.filter(({ scope }) => scopes.includes(scope)),
    find: (name) => byName.get(name),
  };
}
