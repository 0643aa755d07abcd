import { Readable } from 'node:stream';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { parseChatRequest } from '../../../ai/chat-request.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import type { AiAccess } from '../../request/ai-access.ts';
import { isJsonObject } from '../../request/request-bodies.ts';
import type { Route, RouteAnswer, RouteCall } from '../call/route.ts';

interface Asked {
  readonly call: RouteCall;
  readonly access: AiAccess;
  readonly caller: CallContext['caller'];
  readonly signal: AbortSignal;
}

type Answer = (asked: Asked) => Promise<RouteAnswer>;

/** A conversation with the model, as chat completions. */
const askModel: Answer = async ({ call: { body }, access: { service, take }, caller, signal }) => {
  const request = parseChatRequest(body);
  take(caller);
  if (!request.stream) return { status: 200, body: await service.chat(request, signal) };
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
  return { status: 200, headers, body: Readable.from(events(service.streamChat(request, signal))) };
};

const listRemoteTools: Answer = async ({ access: { service, take }, caller, signal }) => {
  take(caller);
  return { status: 200, body: await service.remoteTools(signal) };
};

const invokeRemoteTool: Answer = async ({ call: { query, body }, access: { service, take }, caller, signal }) => {
  const name = query['tool-name'];
  if (!name) throw invalidRequest('The tool has no name.', 'Name it as `tool-name` in the address.');
  const input = isJsonObject(body) ? body['inputs'] : undefined;
  if (!isJsonObject(input))
    throw invalidRequest('The tool has no input.', 'Send its arguments as `inputs`, an object.');
  take(caller);
  return { status: 200, body: await service.callTool({ name, sourceId: query['source-id'], input }, signal) };
};

const answers: Readonly<Record<string, Answer>> = {
  'ai-query': askModel,
  'remote-tools': listRemoteTools,
  'invoke-remote-tool': invokeRemoteTool,
};

/** The AI features: the model that `agent.addAi` names, and the tools of its tool servers. */
export const aiRoute: Route = {
  method: 'POST',
  path: '/_internal/ai-proxy/:feature',
  answer: async (call) => {
    const { params, state, context } = call;
    const { caller, signal = new AbortController().signal } = context('UTC');
    const answer = Object.hasOwn(answers, params['feature'] ?? '') ? answers[params['feature'] ?? ''] : undefined;
    if (!answer) {
      throw invalidRequest('There is no such AI feature.', `The features are ${Object.keys(answers).join(', ')}.`);
    }
    if (!state.ai) throw notConfigured();
    return answer({ call, access: state.ai, caller, signal });
  },
};

/** Server-sent events, whose last one says that nothing is missing. */
async function* events(chunks: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield `data: ${JSON.stringify(chunk)}\n\n`;
  yield 'data: [DONE]\n\n';
}

function notConfigured(): CloudError {
  return cloudError(
    'AI_NOT_CONFIGURED',
    'The agent has no provider of a model.',
    'Add one with agent.addAi(createAiProvider({ … })).',
  );
}
