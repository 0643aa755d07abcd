import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Http, HttpRequest } from '#kernel/ports/http';

export interface JsonRequest {
  readonly method: HttpRequest['method'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/**
 * Send one request and give back the body of its answer: parsed where it is JSON, `null` where it is empty, else text.
 * Rejects with `TEST_AGENT_REFUSED`, whose `details` hold `status` and `body`, or with `TEST_AGENT_UNREACHABLE`.
 */
export async function exchangeJson(http: Http, { method, url, headers, json }: JsonRequest): Promise<unknown> {
  const { origin, pathname } = new URL(url);
  const response = await http
    .send({
      method,
      url,
      headers: {
        accept: 'application/json',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    .catch((error: unknown) => {
      throw isCloudError(error) ? unreachable(origin, error) : error;
    });
  const text = new TextDecoder().decode(response.body);
  const body = text === '' ? null : parsedOrText(text);
  if (response.status >= 200 && response.status <= 299) return body;
  throw new CloudError({
    code: 'TEST_AGENT_REFUSED',
    message: `${method} ${pathname} was answered with ${response.status}${detailOf(body)}.`,
    nextSteps: ['See details.status and details.body of the error for what was answered.'],
    details: { status: response.status, body },
  });
}

function unreachable(origin: string, cause: CloudError): CloudError {
  return new CloudError({
    code: 'TEST_AGENT_UNREACHABLE',
    message: `${origin} did not answer: ${cause.message}`,
    nextSteps: ['Start the agent before the test, and check agentUrl and serverUrl.'],
    cause,
  });
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What answers in plain text is worth showing as it is.
    return text;
  }
}

function detailOf(body: unknown): string {
  const errors =
    typeof body === 'object' && body !== null && 'errors' in body && Array.isArray(body.errors) ? body.errors : [];
  const detail: unknown = errors[0]?.detail;
  return typeof detail === 'string' && detail !== '' ? `: ${detail.replace(/\.$/, '')}` : '';
}
