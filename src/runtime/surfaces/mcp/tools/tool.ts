import type { z } from 'zod';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { McpScope, ToolName } from '#contracts/mcp';
import type { Act } from '../../../activity/act-reporter.ts';
import type { WriteNotes } from '../../../records/calls/write-notes.ts';
import type { AgentState } from '../../request/agent-state.ts';
import type { PageCursors } from './page-cursors.ts';
import { readArguments } from './read-arguments.ts';

/** Who asks, and the model that is served. */
export interface PersonalCall {
  readonly state: AgentState;
  readonly claims: AgentTokenClaims;
  readonly requestId: string;
}

/** The call of a tool. */
export interface ToolCall extends PersonalCall {
  readonly cursors: PageCursors;
  /** Aborted when the client goes away or cancels. */
  readonly signal: AbortSignal;
  /** Takes what the report of a write says. `undefined` where nothing is reported, and for reads. */
  readonly notes: WriteNotes | undefined;
}

/** All four hints, so that no client has to assume the worst. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** Whether it reaches beyond the data of the project. */
  readonly openWorldHint: boolean;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  /** The scope that a token needs for it. */
  readonly scope: McpScope;
  /** A strict object: unknown arguments are refused. */
  readonly input: Input;
  readonly output: Output;
  /** What a call is reported as: names and ids, and never a value. */
  act(input: z.output<Input>): Act;
  run(input: z.output<Input>, call: ToolCall): Promise<z.input<Output>>;
}

export const readingHints: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Checks a tool against its schemas, then forgets them, so that tools fit in one list. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): RegistrableTool {
  return {
    ...tool,
    read: (sent) => {
      const input = readArguments(tool, sent);
      return { act: tool.act(input), run: (call) => tool.run(input, call) };
    },
  };
}

/** What a client asks of a tool. */
export interface ToolOrder {
  readonly act: Act;
  run(call: ToolCall): Promise<Readonly<Record<string, unknown>>>;
}

/** A tool as the server lists and calls it. */
export interface RegistrableTool extends Omit<Tool, 'act' | 'run'> {
  /** Check what a client sent. Throws `REQUEST_INVALID`, which names the argument. */
  read(sent: Readonly<Record<string, unknown>>): ToolOrder;
}
