import type { CollectionCustomizer } from '../../customizer/agent.ts';
import type { FlattenForm, FlattenOptions } from '../../customizer/declaration.ts';
import { declareInPlugin, takesPluginDeclarations } from '../../customizer/plugin-declarations.ts';
import { pluginMisused } from '../../user-code/plugin-misused.ts';

/**
 * Say what is to be taken apart; what it consists of is known when the model is compiled.
 *
 * @throws `CUSTOMIZATION_INVALID` where there is no collection, or nothing named.
 */
export function declareFlattened(
  plugin: string,
  form: FlattenForm,
  collection: CollectionCustomizer | undefined,
  name: unknown,
  options: FlattenOptions | undefined,
): void {
  if (!collection) throw pluginMisused(`${plugin} is used on a collection, not on the agent.`);
  if (!takesPluginDeclarations(collection))
    throw pluginMisused(`${plugin} needs a collection of this version of the package.`);
  if (typeof name !== 'string') {
    throw pluginMisused(`${plugin} needs "${form === 'relation' ? 'relationName' : 'columnName'}" in its options.`);
  }
  collection[declareInPlugin]({ kind: 'flatten', name, form, options: options ?? {} });
}
