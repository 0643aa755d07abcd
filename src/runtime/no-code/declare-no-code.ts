import { type ModelCustomization, modelCustomizationSchema } from '#contracts/model-customizations';
import type { Logger } from '#kernel/ports/logger';
import type { ActionContext, ActionDefinition, ResultBuilder } from '../customizer/action-definition.ts';
import type { Agent } from '../customizer/agent.ts';
import type { SendWebhook } from './webhook-sender.ts';

/** The kinds of actions from the platform that an agent accepts. */
export interface NoCodeSupport {
  /** Calls the address of a webhook action; `undefined` takes no such action. */
  readonly sendWebhook: SendWebhook | undefined;
  readonly areUpdatesOn: boolean;
}

/** The key columns of a collection; `undefined` when there is no such collection. */
export type KeysOf = (collection: string) => readonly string[] | undefined;

/** Takes a name for an action; `false` when the collection has an action of that name or of the same address. */
export type TakeName = (collection: string, action: string) => boolean;

const scopes = { single: 'Single', bulk: 'Bulk', global: 'Global' } as const;

/**
 * The actions that people made on the platform, as a customization. An entry that cannot be understood or has no collection is
 * left out with a warning: the agent serves its code without it.
 */
export function declareNoCode(
  entries: readonly unknown[],
  support: NoCodeSupport,
  keysOf: KeysOf,
  takeName: TakeName,
  logger: Logger,
): (agent: Agent) => void {
  return (agent) => {
    for (const entry of entries) {
      const parsed = modelCustomizationSchema.safeParse(entry);
      const keys = parsed.success ? keysOf(parsed.data.modelName) : undefined;
      if (!parsed.success || !keys) {
        logger.log('Warn', 'A customization of the platform was left out.', { customization: entry });
        continue;
      }
      const { name, modelName } = parsed.data;
      const definition = definitionOf(parsed.data, keys, support);
      if (!definition) continue;
      if (!takeName(modelName, name)) {
        logger.log('Warn', `An action of the platform was left out: "${modelName}" has an action "${name}" already.`);
        continue;
      }
      agent.customizeCollection(modelName, (collection) => collection.addAction(name, definition));
    }
  };
}

function definitionOf(
  { name, configuration }: ModelCustomization,
  keys: readonly string[],
  { sendWebhook, areUpdatesOn }: NoCodeSupport,
): ActionDefinition | undefined {
  const scope = scopes[configuration.scope];
  if (configuration.type === 'update-record') {
    if (!areUpdatesOn) return undefined;
    const patch = Object.fromEntries(
      configuration.configuration.fields.map(({ fieldName, value }) => [fieldName, value]),
    );
    return {
      scope,
      execute: async (context: Pick<ActionContext, 'collection' | 'filter'>, result: ResultBuilder) => {
        await context.collection.update(context.filter, patch);
        return result.success('The records were updated.');
      },
    } as ActionDefinition;
  }
  if (!sendWebhook) return undefined;
  const { url } = configuration.configuration;
  return {
    scope,
    execute: async (context: Pick<ActionContext, 'getCompositeRecordIds'>, result: ResultBuilder) => {
      const ids = scope === 'Global' ? [] : await context.getCompositeRecordIds();
      const records = ids.map((id) => Object.fromEntries(keys.map((key, index) => [key, id[index]])));
      const about = scope === 'Single' ? { record: records[0] } : { records };
      await sendWebhook(url, { action: { name, scope }, ...about });
      return result.success('The webhook was called.');
    },
  } as ActionDefinition;
}
