import { parseExactly } from './exact-json.ts';
import { holdUntilSignedIn, impersonationId, leaveView, setImpersonation } from './session.ts';

/** What a server said against a request, in its own words. */
export interface Problem {
  readonly message: string;
  /** The field that it is about. */
  readonly field?: string;
  /** Of an import, the line of the file. */
  readonly line?: number;
}

/** A request that a server refused, or that never came back. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  /** The HTTP status; 0 where no answer came. */
  readonly status: number;
  /** The code of the catalogue of errors. */
  readonly code: string | undefined;
  readonly nextSteps: readonly string[];
  readonly problems: readonly Problem[];
  /** Finds the request in the log of the server. */
  readonly correlationId: string | undefined;
  /** How long the limit of requests lasts. Before, the server refuses each try. */
  readonly retryAfterSeconds: number | undefined;
  /** More facts, as the server sent them. */
  readonly data: Readonly<Record<string, unknown>>;
  /** What the agent was asked, where the agent answered. */
  asked: { readonly environment: string; readonly parts: readonly string[] } | undefined;

  constructor({
    message,
    status,
    code,
    nextSteps = [],
    problems = [],
    correlationId,
    retryAfterSeconds,
    data = {},
  }: RefusalFacts) {
    super(message);
    this.status = status;
    this.code = code;
    this.nextSteps = nextSteps;
    this.problems = problems;
    this.correlationId = correlationId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.data = data;
  }
}

type RefusalFacts = Pick<RequestFailed, 'message' | 'status'> &
  Partial<Omit<RequestFailed, 'name' | 'cause' | 'stack' | 'asked'>>;

const mostRefusals = 50;
let refused: readonly RequestFailed[] = [];

/** The last answers that refused a request of this page, the oldest first. */
export function refusals(): readonly RequestFailed[] {
  return refused;
}

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Sees each answer, also one that refuses the request. */
  readonly onAnswer?: (response: Response) => void;
}

/**
 * Send a request to the origin of this page, and read the answer whole. A session that has ended holds the request until somebody
 * has signed in again: the server refused it unread, so that it may be sent again.
 *
 * @throws RequestFailed
 */
export async function send(path: string, question: Question = {}): Promise<Response> {
  const response = await sendOnce(path, question);
  if (response.status === 401) await holdUntilSignedIn();
  else if (!(await isTokenEnded(response))) return requireSuccess(response);
  return requireSuccess(await sendOnce(path, question));
}

/** The session at the agent ended on the way, and nothing was done: the platform has another one for the next request. */
async function isTokenEnded(response: Response): Promise<boolean> {
  if (response.status !== 503) return false;
  return errorsIn(await response.clone().text()).some(({ code }) => code === 'AGENT_TOKEN_ENDED');
}

/** Send a request, and read its answer as JSON. */
export async function ask<Answer>(path: string, question: Question = {}): Promise<Answer> {
  return readJson<Answer>(await send(path, question), question.signal);
}

/** The JSON of an answer; `undefined` where there is none. */
export async function readJson<Answer>(response: Response, signal?: AbortSignal): Promise<Answer> {
  const text = await wholeBody(response.text(), signal);
  return (text === '' ? undefined : parseExactly(text)) as Answer;
}

/** Send a request as it is, and read nothing of its answer. A path is one of this page; other addresses need a credential of their own. */
export async function sendOnce(
  path: string,
  { method = 'GET', body, headers, signal, onAnswer }: Question,
): Promise<Response> {
  try {
    const response = await fetch(path, {
      method,
      headers: {
        'service-client': 'console',
        ...impersonationOf(path),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    onAnswer?.(response);
    return response;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw withoutAnswer('No answer');
  }
}

/** An agent that the page calls itself knows it by the token. */
function impersonationOf(path: string): Readonly<Record<string, string>> {
  const id = impersonationId();
  return id === undefined || !path.startsWith('/') ? {} : { 'service-impersonation': id };
}

/** The body of an answer, all of it. A connection that ends in the middle of it is one that brought no answer. */
export async function wholeBody<Body>(reading: Promise<Body>, signal?: AbortSignal): Promise<Body> {
  try {
    return await reading;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw withoutAnswer('The answer broke off');
  }
}

/** An address that no request can have: nothing was sent. */
export function notAddressable(part: string): RequestFailed {
  return new RequestFailed({
    message: `"${part}" cannot be a part of an address, because browsers and proxies fold it away.`,
    status: 400,
    nextSteps: ['Find the record in the list, or give it another key.'],
  });
}

function withoutAnswer(message: string): RequestFailed {
  return new RequestFailed({ message, status: 0 });
}

interface WireError {
  readonly line?: number | null;
  readonly field?: string | null;
  readonly detail?: string;
  readonly message?: string;
  readonly code?: string;
  readonly nextSteps?: readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Throws `RequestFailed` for what was refused. */
export async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok || response.status === 304) return response;
  const text = await wholeBody(response.text());
  const errors = errorsIn(text);
  const [first] = errors;
  const error = new RequestFailed({
    message: first?.detail ?? first?.message ?? (text.slice(0, 300) || `The server answered ${response.status}.`),
    status: response.status,
    code: first?.code,
    nextSteps: first?.nextSteps ?? [],
    problems: errors.map(problemOf),
    correlationId: response.headers.get('x-service-correlation-id') ?? undefined,
    retryAfterSeconds: response.status === 429 ? Number(response.headers.get('retry-after')) || undefined : undefined,
    data: first?.data ?? {},
  });
  refused = [...refused, error].slice(-mostRefusals);
  if (error.code === 'IMPERSONATION_ENDED') {
    // Nothing of the other person stays on the screen without a frame.
    setImpersonation(undefined);
    leaveView();
  }
  throw error;
}

function problemOf({ detail, message, data, field: ofLine, line }: WireError): Problem {
  const field = ofLine ?? data?.['field'];
  return {
    message: detail ?? message ?? '',
    ...(typeof field === 'string' ? { field } : {}),
    ...(typeof line === 'number' ? { line } : {}),
  };
}

/** The agent answers a list of errors, the platform one. Other texts come from something between. */
function errorsIn(text: string): readonly WireError[] {
  if (!text.startsWith('{')) return [];
  const body = JSON.parse(text) as { readonly errors?: readonly WireError[]; readonly error?: WireError };
  return body.errors ?? (body.error ? [body.error] : []);
}
