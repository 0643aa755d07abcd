import * as z from 'zod';
import type { CloudError } from '#kernel/errors/cloud-error';
import { invalidOption, refusalOfOptions } from '../user-code/refused-options.ts';
import type { AiProvider } from './ai-provider.ts';

const toolServerSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('http'),
    url: z.url({ protocol: /^https?$/, error: 'it must be an http or https address' }),
    headers: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({
    type: z.literal('stdio'),
    command: z.string().min(1, 'it must not be empty'),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
  }),
]);

const countSchema = z.int('it must be a whole number').positive('it must be above 0');

const optionsSchema = z.strictObject({
  toolServers: z
    .record(z.string().regex(/^[\w-]+$/, 'its names may have only letters, digits, - and _'), toolServerSchema)
    .default({}),
  callsPerMinute: countSchema.nullable().default(20),
  maxOutputTokens: countSchema.optional(),
  redact: z
    .custom<(text: string) => string>((value) => typeof value === 'function', 'it must be a function')
    .optional(),
});

/** An MCP server with tools for the model: over HTTP, or a program that the agent starts for each use. */
export type AiToolServer = z.input<typeof toolServerSchema>;

/** Options of `agent.addAi`. */
export interface AiOptions {
  /** MCP servers whose tools the model may be offered, by names of your own. They are named here only, never by the platform or a client. */
  readonly toolServers?: Readonly<Record<string, AiToolServer>>;
  /** How many calls of the model and of tools a person may make. Default 20; `null` for any number. */
  readonly callsPerMinute?: number | null;
  /** How long an answer may be. Default: what the provider says; 4096 for Anthropic, which needs a number. */
  readonly maxOutputTokens?: number;
  /** Gets every text of a conversation before it leaves for the provider, and returns what may leave. */
  readonly redact?: (text: string) => string;
}

/** A provider of the agent, with checked options. */
export interface AiSettings extends z.output<typeof optionsSchema> {
  readonly provider: AiProvider;
}

/** @throws `AGENT_OPTION_INVALID`, which names the option and never its value. */
export function aiSettings(provider: AiProvider, options: AiOptions): AiSettings {
  if (typeof provider?.apiKey !== 'string') throw invalidOption('addAi', 'it takes what createAiProvider returns');
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) throw refusalOfOptions(optionsSchema, parsed.error);
  return { ...parsed.data, provider };
}

export function aiTwice(): CloudError {
  return invalidOption('addAi', 'it may be called once, and was called before');
}
