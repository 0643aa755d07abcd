import type { CollectionCustomizer } from './agent.ts';
import type { CollectionDeclaration } from './declaration.ts';

/** Known by its name: a plugin may come from another copy of the package than the agent. */
export const declareInPlugin = Symbol.for('@vendor/cloud declare in plugin');

/** The declarations that plugins of the package may make besides the methods of a collection. */
export interface PluginDeclarations {
  [declareInPlugin](declaration: CollectionDeclaration): unknown;
}

export function takesPluginDeclarations(
  collection: CollectionCustomizer,
): collection is CollectionCustomizer & PluginDeclarations {
  return declareInPlugin in collection;
}
