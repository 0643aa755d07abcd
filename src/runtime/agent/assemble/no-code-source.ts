import type { Logger } from '#kernel/ports/logger';
import { actionSlug } from '../../compile/compile-action.ts';
import type { Agent } from '../../customizer/agent.ts';
import type { Declaration } from '../../customizer/declaration.ts';
import type { DataSource } from '../../data-sources/interface/data-source.ts';
import { declareNoCode, type TakeName } from '../../no-code/declare-no-code.ts';
import { createWebhookSender, type SendHttp } from '../../no-code/webhook-sender.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';

/** The platform, where people make customizations without code. */
export interface NoCodePlatform {
  modelCustomizations(): Promise<readonly unknown[]>;
  readonly sendHttp: SendHttp;
}

export interface NoCodeSource {
  /** Whether the agent takes any. */
  readonly isOn: boolean;
  /**
   * The customizations of the platform for the data sources; none when the options do not take them.
   *
   * @param declared What the code declares, whose names win.
   */
  load(sources: readonly DataSource[], declared: readonly Declaration[]): Promise<(agent: Agent) => void>;
}

const nothing = () => undefined;

/**
 * The platform is asked at every load. When it does not answer, the agent is served without its customizations.
 *
 * @param requirePlatform throws where there is no platform to ask.
 */
export function createNoCodeSource(
  {
    experimental: { webhookCustomActions, updateRecordCustomActions: areUpdatesOn },
    useUnsafeActionEndpoint,
  }: ParsedAgentOptions,
  platform: NoCodePlatform,
  requirePlatform: () => void,
  logger: Logger,
): NoCodeSource {
  if (!webhookCustomActions && !areUpdatesOn) return { isOn: false, load: async () => nothing };
  const sendWebhook = webhookCustomActions ? createWebhookSender(platform.sendHttp, webhookCustomActions) : undefined;
  const support = { sendWebhook, areUpdatesOn };
  const addressOf = useUnsafeActionEndpoint ? actionSlug : (name: string) => name;
  const load: NoCodeSource['load'] = async (sources, declared) => {
    requirePlatform();
    const keys = new Map(
      sources.flatMap(({ collections }) => collections.map(({ name, primaryKey }) => [name, primaryKey] as const)),
    );
    try {
      const entries = await platform.modelCustomizations();
      return declareNoCode(entries, support, (name) => keys.get(name), namesBeside(declared, addressOf), logger);
    } catch (error) {
      logger.log('Warn', 'The actions that were made on the platform cannot be had now.', { error });
      return nothing;
    }
  };
  return { isOn: true, load };
}

function namesBeside(declared: readonly Declaration[], addressOf: (name: string) => string): TakeName {
  const keyOf = (collection: string, action: string) => JSON.stringify([collection, addressOf(action)]);
  const taken = new Set(
    declared.flatMap((declaration) =>
      declaration.kind === 'action' ? [keyOf(declaration.collection, declaration.name)] : [],
    ),
  );
  return (collection, action) => {
    const key = keyOf(collection, action);
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  };
}
