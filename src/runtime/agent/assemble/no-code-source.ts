import type { Logger } from '#kernel/ports/logger';
import { actionSlug } from '../../compile/compile-action.ts';
import type { Agent } from '../../customizer/agent.ts';
import type { Declaration } from '../../customizer/declaration.ts';
import type { DataSource } from '../../data-sources/interface/data-source.ts';
import { declareNoCode, type TakeName } from '../../no-code/declare-no-code.ts';
import { createWebhookSender, type SendHttp } from '../../no-code/webhook-sender.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';

/** Where customizations come from that were made without code: the platform. */
export interface NoCodePlatform {
  modelCustomizations(): Promise<readonly unknown[]>;
  readonly sendHttp: SendHttp;
}

export interface NoCodeSource {
  /** Whether the options ask for any. */
  readonly isOn: boolean;
  /**
   * The customizations of the platform for the data sources; none when they are not asked for.
   *
   * @param declared by the code, whose names come first.
   */
  load(sources: readonly DataSource[], declared: readonly Declaration[]): Promise<(agent: Agent) => void>;
}

const nothing = () => undefined;

/** Asked for at every start and restart. A platform that does not answer takes no agent with it. */
export function createNoCodeSource(
  {
    experimental: { webhookCustomActions, updateRecordCustomActions: areUpdatesOn },
    useUnsafeActionEndpoint,
  }: ParsedAgentOptions,
  platform: NoCodePlatform,
  logger: Logger,
): NoCodeSource {
  if (!webhookCustomActions && !areUpdatesOn) return { isOn: false, load: async () => nothing };
  const sendWebhook = webhookCustomActions ? createWebhookSender(platform.sendHttp, webhookCustomActions) : undefined;
  const support = { sendWebhook, areUpdatesOn };
  const addressOf = useUnsafeActionEndpoint ? actionSlug : (name: string) => name;
  const load: NoCodeSource['load'] = async (sources, declared) => {
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
