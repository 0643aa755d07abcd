/** The call of another server that an action asks for. */
export interface Webhook {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The request of a webhook, as it is shown and sent. */
export interface WebhookRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Absent where the method has none. */
  readonly body: string | undefined;
}

/**
 * The body is JSON, and says so unless the action names another type. The address is shown as it is sent, so that no sign of another
 * script or direction hides where it leads.
 */
export function requestOf({ url: named, method: given, headers, body }: Webhook): WebhookRequest {
  const url = URL.parse(named)?.href ?? named;
  const method = given.toUpperCase();
  const entries = Object.entries(headers);
  if (method === 'GET' || method === 'HEAD') return { url, method, headers: entries, body: undefined };
  const hasType = entries.some(([name]) => name.toLowerCase() === 'content-type');
  const typed = hasType ? entries : [...entries, ['content-type', 'application/json'] as const];
  return { url, method, headers: typed, body: JSON.stringify(body) };
}

/**
 * Whether the page may make the call: the agent lists its origin, and it is of https. A page of this machine may call this machine
 * too, as it does in development.
 */
export function mayCall(url: string, origins: readonly string[], pageHost: string): boolean {
  const target = URL.parse(url);
  if (!target || !origins.includes(target.origin)) return false;
  return target.protocol === 'https:' || pageHost === 'localhost' || pageHost === '127.0.0.1';
}

/** The request in lines, as HTTP has it. */
export function linesOf({ url, method, headers, body }: WebhookRequest): string {
  const head = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return [...head, ...(body === undefined ? [] : ['', body])].join('\n');
}

/** The same request on a command line. */
export function curlOf({ url, method, headers, body }: WebhookRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const heads = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const data = body === undefined ? [] : ['--data-raw', quoted(body)];
  return ['curl', '-X', quoted(method), quoted(url), ...heads, ...data].join(' ');
}

/** How a call ended. */
export type WebhookOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly isGood: boolean }
  | { readonly kind: 'redirected' }
  /** No answer that the page may read. Whether the server has the call, nobody knows. */
  | { readonly kind: 'unanswered' }
  /** The browser cannot make such a request, for this reason. Nothing was sent. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** Make the call, once. It carries nothing of the page: no cookie, no credential, no address that it comes from. */
export async function callWebhook({ url, method, headers, body }: WebhookRequest): Promise<WebhookOutcome> {
  let request: Request;
  try {
    request = new Request(url, {
      method,
      headers: new Headers(headers.map(([name, value]) => [name, value])),
      ...(body === undefined ? {} : { body }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'manual',
      referrerPolicy: 'no-referrer',
    });
  } catch (error) {
    return { kind: 'impossible', reason: String(error) };
  }
  const response = await fetch(request).catch(() => undefined);
  if (!response) return { kind: 'unanswered' };
  if (response.type === 'opaqueredirect') return { kind: 'redirected' };
  return { kind: 'answered', status: response.status, isGood: response.ok };
}
