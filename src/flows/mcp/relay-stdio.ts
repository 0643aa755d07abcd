import { createParser } from 'eventsource-parser';
import type { HttpResponse } from '#kernel/ports/http';
import type { FlowContext } from '../flow-context.ts';
import type { McpAccess } from './mcp-access.ts';
import { toolDeadlineMs } from './mcp-client.ts';

/** The two ends of a client that speaks through pipes. */
export interface StdioClient {
  /** Messages, one a line. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Write one message. */
  write(line: string): void;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly result?: { readonly protocolVersion?: unknown };
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const longestLine = 4 * 1024 * 1024;

/**
 * Hand the messages of a client over to an MCP server, and its answers back, until the client closes its end. Requests run at
 * the same time; one that the client cancels is broken off.
 */
export async function relayStdio(context: FlowContext, access: McpAccess, client: StdioClient): Promise<void> {
  const relay = new Relay(context, access, client);
  for await (const line of linesOf(client.input)) relay.take(line);
  await relay.finish();
}

class Relay {
  readonly #context: FlowContext;
  readonly #access: McpAccess;
  readonly #client: StdioClient;
  readonly #running = new Map<unknown, { readonly abort: AbortController; readonly done: Promise<void> }>();
  /** Agreed on by `initialize`; newer clients name it in each message. */
  #version: string | undefined;

  constructor(context: FlowContext, access: McpAccess, client: StdioClient) {
    this.#context = context;
    this.#access = access;
    this.#client = client;
  }

  take(line: Line): void {
    if (line === 'too long') {
      this.#fail(null, -32_600, `Invalid request: a line has more than ${longestLine} characters.`);
      return;
    }
    const message = parsed(line.text);
    if (!message) {
      this.#fail(null, -32_700, 'Parse error: the line is not valid JSON.');
      return;
    }
    if (message.method === 'notifications/cancelled') this.#cancel(message);
    const abort = new AbortController();
    const key = message.id ?? Symbol('notification');
    const done = this.#send(line.text, message, abort.signal).finally(() => this.#running.delete(key));
    this.#running.set(key, { abort, done });
  }

  async finish(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  #cancel({ params }: Message): void {
    const id = (params as { readonly requestId?: unknown } | undefined)?.requestId;
    this.#running.get(id)?.abort.abort();
  }

  async #send(line: string, message: Message, signal: AbortSignal): Promise<void> {
    try {
      const response = await this.#context.http.send({
        method: 'POST',
        url: this.#access.url,
        headers: this.#headersOf(message),
        body: line,
        deadlineMs: toolDeadlineMs,
        signal,
      });
      const answers = messagesIn(response);
      for (const answer of answers) this.#hand(answer, message.id);
      if (answers.length === 0 && message.id !== undefined) {
        this.#fail(message.id, -32_603, `The MCP server answered with status ${response.status} and no message.`);
      }
    } catch (error) {
      if (signal.aborted || message.id === undefined) return;
      this.#fail(message.id, -32_603, error instanceof Error ? error.message : String(error));
    }
  }

  #headersOf({ method, params }: Message): Readonly<Record<string, string>> {
    const { token } = this.#access;
    const stated = params?._meta?.[versionKey];
    const version = typeof stated === 'string' ? stated : this.#version;
    const name = params?.name ?? params?.uri;
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
      ...(typeof stated === 'string' && typeof method === 'string' ? { 'mcp-method': method } : {}),
      ...(typeof stated === 'string' && typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
    };
  }

  /** A server that refuses a request before it has read it does not know the id, for which the client waits. */
  #hand(text: string, id: unknown): void {
    const answer = parsed(text) ?? {};
    const { result } = answer;
    if (typeof result?.protocolVersion === 'string') this.#version = result.protocolVersion;
    this.#client.write(answer.id === null && id !== undefined ? JSON.stringify({ ...answer, id }) : text);
  }

  #fail(id: unknown, code: number, message: string): void {
    this.#client.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  }
}

/** Names with other characters than headers may have travel as Base64, between marks. */
function headerValue(name: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !/^=\?base64\?.*\?=$/i.test(name);
  return isPlain ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

/** The messages of an answer: one as JSON, or several as events; each on one line. */
function messagesIn({ headers, body }: HttpResponse): readonly string[] {
  const text = Buffer.from(body).toString();
  if (text.trim() === '') return [];
  if (!headers['content-type']?.startsWith('text/event-stream')) return [singleLine(text)];
  const messages: string[] = [];
  createParser({ onEvent: ({ data }) => messages.push(singleLine(data)) }).feed(text);
  return messages.filter((message) => message !== '');
}

function singleLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ').trim();
}

function parsed(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

type Line = { readonly text: string } | 'too long';

/** The lines that are not empty. One that is too long is not kept, so that no client fills the memory. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let rest = '';
  let isSkipping = false;
  for await (const chunk of input) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    const end = lines.pop() ?? '';
    for (const line of lines) {
      if (isSkipping) isSkipping = false;
      else yield* lineOf(rest + line);
      rest = '';
    }
    if (!isSkipping) rest += end;
    if (rest.length <= longestLine) continue;
    yield 'too long';
    isSkipping = true;
    rest = '';
  }
  yield* lineOf(rest);
}

function lineOf(text: string): readonly Line[] {
  if (text.length > longestLine) return ['too long'];
  return text.trim() === '' ? [] : [{ text }];
}
