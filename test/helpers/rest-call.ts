/** Where the REST API of an agent is, and a token for it. */
export interface RestAddress {
  /** Address of the REST API, prefix included. */
  readonly agentUrl: string;
  readonly token: string;
}

export interface CallOptions {
  readonly method?: string;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `null` sends none. */
  readonly token?: string | null;
  /** `null` sends none. */
  readonly timezone?: string | null;
}

export interface CallResult {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, parsed; `undefined` where it is not JSON. */
  readonly json: unknown;
}

/** Call the REST API of an agent. */
export async function call(agent: RestAddress, target: string, options: CallOptions = {}): Promise<CallResult> {
  const { method = 'GET', body, headers = {}, token = agent.token, timezone = 'Europe/Paris' } = options;
  const query = timezone === null ? '' : `${target.includes('?') ? '&' : '?'}timezone=${timezone}`;
  const response = await fetch(`${agent.agentUrl}${target}${query}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, json };
}
