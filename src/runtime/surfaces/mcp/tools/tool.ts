import type { z } from 'zod';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { Act } from '../../../activity/act-reporter.ts';
import type { AgentState } from '../../request/agent-state.ts';

/** The call of a tool. */
export interface ToolCall {
  readonly state: AgentState;
  readonly claims: AgentTokenClaims;
  readonly requestId: string;
  /** Aborted when the client goes away or cancels. */
  readonly signal: AbortSignal;
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
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  readonly input: Input;
  readonly output: Output;
  /** What a call is reported as: names, and never a value. */
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
      const input = tool.input.parse(sent);
      return { act: tool.act(input), run: (call) => tool.run(input, call) };
    },
  };
}

/** What a client asks of a tool. */
export interface ToolOrder {
  readonly act: Act;
  run(call: ToolCall): Promise<Readonly<Record<string, unknown>>>;
}

/** A tool as the server registers it. */
export interface RegistrableTool extends Omit<Tool, 'act' | 'run'> {
  /** Check what a client sent. */
  read(sent: Readonly<Record<string, unknown>>): ToolOrder;
}
