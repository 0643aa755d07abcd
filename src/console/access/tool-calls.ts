import { queryOptions } from '@tanstack/react-query';
import { type AgentAddress, askAgent } from '../wire/agent.ts';
import { RequestFailed } from '../wire/http.ts';
import { own } from '../wire/own.ts';
import type { ToolSchema } from './tool-arguments.ts';

/** A tool, as the MCP server lists it for the person. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: ToolSchema;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
}

export type ToolArguments = Readonly<Record<string, unknown>>;

/** A call that was made on this page. */
export interface MadeCall {
  readonly id: number;
  readonly tool: string;
  readonly sent: ToolArguments;
  readonly at: string;
  readonly isError: boolean;
}

/** What a tool answered. */
export interface ToolAnswer {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}

interface Message {
  readonly method: 'tools/list' | 'tools/call';
  readonly params?: { readonly name: string; readonly arguments: ToolArguments };
}

interface WireAnswer<Result> {
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string };
}

let messages = 0;

/** Ask the MCP server of the agent as the person. The page has no token: the session of the browser counts, as for every other request. */
async function askServer<Result>(agent: AgentAddress, message: Message, signal?: AbortSignal): Promise<Result> {
  messages++;
  const body = { jsonrpc: '2.0', id: messages, ...message };
  const question = { method: 'POST', body, ...(signal ? { signal } : {}) } as const;
  const answer = await askAgent<WireAnswer<Result>>(agent, ['_internal', 'mcp'], {}, question);
  if (answer.result !== undefined) return answer.result;
  const { code, message: text } = answer.error ?? { code: 0, message: 'The server gave no result.' };
  throw new RequestFailed({ message: text, status: 200, code: String(code) });
}

/** The tools that the person may call; `null` where the agent has no MCP server. */
export function toolsQuery(agent: AgentAddress) {
  return queryOptions({
    queryKey: ['MCP tools', agent.environment],
    queryFn: async ({ signal }): Promise<readonly Tool[] | null> => {
      try {
        return (await askServer<{ readonly tools: readonly Tool[] }>(agent, { method: 'tools/list' }, signal)).tools;
      } catch (error) {
        if (error instanceof RequestFailed && error.status === 404) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}

export function callTool(agent: AgentAddress, name: string, sent: ToolArguments): Promise<ToolAnswer> {
  return askServer(agent, { method: 'tools/call', params: { name, arguments: sent } });
}

/** What an answer says, in the parts that the screen shows. */
export interface ReadAnswer {
  readonly isError: boolean;
  /** The structured form, or what the text has where there is none. */
  readonly value: unknown;
  /** As a model gets it. */
  readonly text: string;
  readonly error:
    | { readonly code: string; readonly message: string; readonly nextSteps: readonly string[] }
    | undefined;
  /** Fields with text that people outside can write. */
  readonly untrusted: readonly string[];
  /** Runs the call that asked for a confirmation. */
  readonly confirmationToken: string | undefined;
}

export function readAnswer({ isError = false, structuredContent, content = [] }: ToolAnswer): ReadAnswer {
  const text = content.map((part) => part.text ?? `[${part.type}]`).join('\n');
  const value = structuredContent ?? jsonIn(text);
  return {
    isError,
    value,
    text,
    error: errorIn(memberOf(value, 'error')),
    untrusted: textsIn(memberOf(memberOf(value, 'untrusted'), 'fields')),
    confirmationToken: textOf(memberOf(value, 'confirmationToken')),
  };
}

function errorIn(error: unknown): ReadAnswer['error'] {
  const message = textOf(memberOf(error, 'message'));
  if (message === undefined) return undefined;
  return { code: textOf(memberOf(error, 'code')) ?? '', message, nextSteps: textsIn(memberOf(error, 'nextSteps')) };
}

/** Refusals are JSON. Other texts are not, such as data between two lines. */
function jsonIn(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? own(value as Readonly<Record<string, unknown>>, name)
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
