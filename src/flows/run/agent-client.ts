import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { errorEnvelopeSchema } from '#contracts/error-envelope';
import { catalogue, type ErrorCode } from '#kernel/errors/catalogue';
import { CloudError, type CloudErrorInput, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Http, HttpRequest, HttpResponse } from '#kernel/ports/http';
import { retryAfterSeconds } from '#kernel/rates/rate-policy';

export interface AgentCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the prefix. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The REST API of an agent, as one person. */
export interface AgentClient {
  /** Any answer of the agent, refusals too. */
  send(call: AgentCall): Promise<HttpResponse>;
  /** The JSON of a success. Rejects with the error that the agent gave. */
  json(call: AgentCall): Promise<unknown>;
}

/** An action or a chart may work as long as the agent lets it. */
const deadlineMs = 120_000;

export function createAgentClient(
  http: Http,
  { url, token }: { readonly url: string; readonly token: string },
): AgentClient {
  return clientThatSends((call) => http.send(requestOf(url, token, call)));
}

function clientThatSends(send: AgentClient['send']): AgentClient {
  return {
    send,
    json: async (call) => {
      const response = await send(call);
      if (response.status >= 400) throw agentErrorOf(response);
      return jsonOf(response);
    },
  };
}

/** An agent lets nobody ask too much within a minute. Such a refusal has done nothing, so a request waits as long as it says. */
const mostRefusals = 60;

/** The same agent for a command that asks much of it: requests that come too fast are sent again when their time has come. */
export function waitForTurns({ send }: AgentClient, clock: Clock): AgentClient {
  return clientThatSends(async (call) => {
    for (let refusals = 0; ; refusals++) {
      const response = await send(call);
      if (response.status !== 429 || refusals === mostRefusals) return response;
      const seconds = retryAfterSeconds(response.headers['retry-after'], clock.now()) ?? 1;
      await wait(seconds * 1_000);
    }
  });
}

function requestOf(url: string, token: string, { method, path, query = {}, headers, body }: AgentCall): HttpRequest {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const parameters = given.length > 0 ? `?${new URLSearchParams(Object.fromEntries(given))}` : '';
  return {
    method,
    url: `${url}${path}${parameters}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    deadlineMs,
  };
}

/** The JSON of an answer, or its text if it is not JSON. */
export function jsonOf({ body }: HttpResponse): unknown {
  const text = new TextDecoder().decode(body);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const answerSchema = errorEnvelopeSchema.transform(({ errors: [error] }) => error);

/** The error of an answer, in the words of the agent. */
export function agentErrorOf(response: HttpResponse): CloudError {
  const answer = answerSchema.safeParse(jsonOf(response)).data;
  const nextSteps = answer?.nextSteps ?? [];
  return new CloudError({
    code: codeOf(answer?.code),
    message: answer ? answer.detail : `The agent answered with status ${response.status}.`,
    nextSteps: nextSteps.length > 0 ? nextSteps : ['Look at what "vendor-cloud dev" says of the request.'],
    safeDetails: { status: response.status },
  } as CloudErrorInput);
}

function codeOf(code: string | undefined): ErrorCode {
  return code !== undefined && Object.hasOwn(catalogue, code) ? (code as ErrorCode) : 'AGENT_REFUSED';
}

/** A segment of a path. */
export const segmentOf = encodeURIComponent;

const capabilitiesSchema = z.object({
  collections: z.array(
    z.object({
      name: z.string(),
      fields: z.array(z.object({ name: z.string(), type: z.unknown() })),
      actions: z.array(z.object({ name: z.string(), scope: z.enum(['Single', 'Bulk', 'Global']), path: z.string() })),
    }),
  ),
});

export type CollectionCapabilities = z.infer<typeof capabilitiesSchema>['collections'][number];

/** The fields and the actions of a collection; `undefined` where the agent has no such collection. */
export async function capabilitiesOf(
  agent: AgentClient,
  collection: string,
): Promise<CollectionCapabilities | undefined> {
  const body = { collectionNames: [collection] };
  const answer = await agent.json({ method: 'POST', path: '/_internal/capabilities', body });
  return capabilitiesSchema.parse(answer).collections[0];
}

/** The agent has no collection of that name, and none that is near. */
export function unknownCollection(name: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `There is no collection "${name}".`,
    'See the names of collections in the generated types of the project.',
  );
}
