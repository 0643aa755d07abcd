import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { ChatModel } from './ai-provider.ts';
import type { AiSettings } from './ai-settings.ts';
import { type ChatRequest, redactRequest } from './chat-request.ts';
import { callTool, type RemoteTool, withRemoteTools } from './tool-servers.ts';

/** A call of a tool that the model asked for. */
interface ToolCall {
  readonly name: string;
  /** The server of the tool; needed where two have one of that name. */
  readonly sourceId: string | undefined;
  readonly input: Record<string, unknown>;
}

/** The model of an agent and its remote tools. It never calls tools by itself: whoever asked the model decides. */
export interface AiService {
  /** The calls a person may make in a minute; `null` for any number. */
  readonly callsPerMinute: number | null;
  /** Throws `AI_REQUEST_REFUSED`, `AI_PROVIDER_REFUSED` and `AI_PROVIDER_UNAVAILABLE`. */
  chat(request: ChatRequest, signal: AbortSignal): Promise<unknown>;
  /** The same, piece by piece. */
  streamChat(request: ChatRequest, signal: AbortSignal): AsyncIterable<unknown>;
  /** The list may be a minute old. */
  remoteTools(signal: AbortSignal): Promise<readonly RemoteTool[]>;
  /** The content that the tool gave. Throws `AI_TOOL_UNKNOWN`, `AI_TOOL_FAILED` and, where two servers have it, `REQUEST_INVALID`. */
  callTool(call: ToolCall, signal: AbortSignal): Promise<unknown>;
}

/** How long a list of tools is good. Without it, each conversation with tools would connect to every server. */
const listedMs = 60_000;

export function createAiService(settings: AiSettings, clock: Clock, logger: Logger): AiService {
  let model: Promise<ChatModel> | undefined;
  const opened = () => {
    model ??= openChatModel(settings, clock).catch((error: unknown) => {
      model = undefined;
      throw error;
    });
    return model;
  };
  const { redact, toolServers, callsPerMinute } = settings;
  const hasToolServers = Object.keys(toolServers).length > 0;

  let listed: { readonly tools: readonly RemoteTool[]; readonly until: number } | undefined;
  const remoteTools = async (signal: AbortSignal) => {
    if (listed && clock.monotonicMs() < listed.until) return listed.tools;
    const tools = await withRemoteTools(settings, logger, signal, async (found) => found.map(({ tool }) => tool));
    listed = { tools, until: clock.monotonicMs() + listedMs };
    return tools;
  };

  /** A conversation as the provider gets it. The server's own words for its tools count, not those of the client. */
  const prepared = async (request: ChatRequest, signal: AbortSignal): Promise<ChatRequest> => {
    const redacted = redact ? redactRequest(request, redact) : request;
    if (!redacted.tools?.length || !hasToolServers) return redacted;
    const known = new Map((await remoteTools(signal)).map((tool) => [tool.name, tool]));
    const tools = redacted.tools.map((tool) => {
      const remote = known.get(tool.function.name);
      if (!remote) return tool;
      const { name, description, schema } = remote;
      return { ...tool, function: { ...tool.function, name, description, parameters: schema } };
    });
    return { ...redacted, tools };
  };

  return {
    callsPerMinute,
    chat: async (request, signal) => (await opened()).complete(await prepared(request, signal), signal),
    streamChat: async function* (request, signal) {
      yield* (await opened()).stream(await prepared(request, signal), signal);
    },
    remoteTools,
    callTool: ({ name, sourceId, input }, signal) =>
      withRemoteTools(settings, logger, signal, async (found) => {
        const named = found.filter(({ tool }) => tool.name === name && tool.sourceId === (sourceId ?? tool.sourceId));
        const [tool, another] = named;
        if (!tool) throw toolUnknown(name);
        if (another) {
          throw invalidRequest(`Several tool servers have a tool "${name}".`, 'Name one of them as `source-id`.');
        }
        return callTool(tool, input, signal);
      }),
  };
}

function toolUnknown(name: string): CloudError {
  return cloudError(
    'AI_TOOL_UNKNOWN',
    `No tool server has a tool "${name}".`,
    'Use a name of the list of remote tools.',
  );
}

/** The SDK of a provider is loaded when the first conversation comes. */
async function openChatModel(settings: AiSettings, clock: Clock): Promise<ChatModel> {
  if (settings.provider.provider === 'openai') {
    const { openAiModel } = await import('./open-ai-model.ts');
    return openAiModel(settings);
  }
  const { anthropicModel } = await import('./anthropic-model.ts');
  return anthropicModel(settings, clock);
}
