import type { Logger } from '#kernel/ports/logger';
import type { Agent } from '../customizer/agent.ts';
import type { DataSource } from '../data-sources/data-source.ts';
import { declareNoCode } from '../no-code/declare-no-code.ts';
import { createWebhookSender, type SendHttp } from '../no-code/webhook-sender.ts';
import type { ParsedAgentOptions } from './agent-options.ts';

/** Where customizations come from that were made without code: the platform. */
export interface NoCodePlatform {
  modelCustomizations(): Promise<readonly unknown[]>;
  readonly sendHttp: SendHttp;
}

export interface NoCodeSource {
  /** Whether the options ask for any. */
  readonly isOn: boolean;
  /** The customizations of the platform for the data sources; none when they are not asked for. */
  load(sources: readonly DataSource[]): Promise<(agent: Agent) => void>;
}

const nothing = () => undefined;

/** Asked for at every start and restart. A platform that does not answer takes no agent with it. */
export function createNoCodeSource(
  { experimental: { webhookCustomActions, updateRecordCustomActions: areUpdatesOn } }: ParsedAgentOptions,
  platform: NoCodePlatform,
  logger: Logger,
): NoCodeSource {
  if (!webhookCustomActions && !areUpdatesOn) return { isOn: false, load: async () => nothing };
  const sendWebhook = webhookCustomActions ? createWebhookSender(platform.sendHttp, webhookCustomActions) : undefined;
  const load = async (sources: readonly DataSource[]) => {
    const keys = new Map(
      sources.flatMap(({ collections }) => collections.map(({ name, primaryKey }) => [name, primaryKey] as const)),
    );
    try {
      const entries = await platform.modelCustomizations();
      return declareNoCode(entries, { sendWebhook, areUpdatesOn }, (name) => keys.get(name), logger);
    } catch (error) {
      logger.log('Warn', 'The actions that were made on the platform cannot be had now.', { error });
      return nothing;
    }
  };
  return { isOn: true, load };
}
