import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Http, HttpRequest, HttpResponse } from '#kernel/ports/http';
import { AgentHttpError, type RefusedAnswer } from '../errors/agent-test-errors.ts';

export interface JsonRequest {
  readonly method: HttpRequest['method'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; integers of type `bigint` are sent as texts, which the agent takes as exact numbers. */
  readonly json?: unknown;
  readonly deadlineMs?: number | undefined;
  /** The error to throw in place of the general one. */
  readonly errorOf?: ((error: AgentHttpError, answer: RefusedAnswer) => AgentHttpError) | undefined;
}

/** Send one request. Rejects with `AgentHttpError` unless the status is 200 to 299, and with `TEST_AGENT_UNREACHABLE`. */
export async function exchange(http: Http, request: JsonRequest): Promise<HttpResponse> {
  const { method, url, headers, json, deadlineMs, errorOf = (error) => error } = request;
  const { origin, pathname } = new URL(url);
  const sent = json === undefined ? undefined : JSON.stringify(json, exactIntegers);
  const response = await http
    .send({
      method,
      url,
      headers: {
        accept: 'application/json',
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    })
    .catch((error: unknown) => {
      throw isCloudError(error) ? unreachable(origin, error) : error;
    });
  if (response.status >= 200 && response.status <= 299) return response;
  const responseText = textOf(response);
  const body = parsedOrText(responseText);
  const answer = { request: `${method} ${pathname}`, status: response.status, body, responseText };
  throw errorOf(new AgentHttpError(answer), answer);
}

/** The same, with the body of the answer: parsed where it is JSON, `null` where it is empty, else text. */
export async function exchangeJson(http: Http, request: JsonRequest): Promise<unknown> {
  return bodyOf(await exchange(http, request));
}

export function bodyOf(response: HttpResponse): unknown {
  return parsedOrText(textOf(response));
}

export function textOf({ body }: HttpResponse): string {
  return new TextDecoder().decode(body);
}

export function exactIntegers(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function unreachable(origin: string, cause: CloudError): CloudError {
  return cloudError(
    'TEST_AGENT_UNREACHABLE',
    `${origin} did not answer: ${cause.message}`,
    'Start the agent before the test, and check agentUrl and serverUrl.',
    { cause },
  );
}

function parsedOrText(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    // What answers in plain text is worth showing as it is.
    return text;
  }
}
