import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { ActReporter } from '../../../activity/act-reporter.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import type { ToolCall, ToolOrder } from './tool.ts';

/** The answer to a call: its result, or a question that the client puts to the person. */
export type ToolAnswer = CallToolResult | InputRequiredResult;

/** What a client can ask the person, and what the person has said to the question before. */
export interface Dialogue {
  /** Whether the client can ask. */
  readonly canAsk: boolean;
  /** The confirmation that the client was given with the question; `undefined` where there was none. */
  readonly confirmation: string | undefined;
  readonly reply: 'yes' | 'no' | undefined;
}

/** A call, and all that carrying it out needs. */
export interface CallToCarryOut {
  readonly tool: string;
  readonly order: ToolOrder;
  readonly call: ToolCall;
  readonly clientId: string;
  readonly dialogue: Dialogue;
  readonly reporter: ActReporter;
  readonly safeguards: Safeguards;
  /** Shapes an answer. */
  answered(output: Readonly<Record<string, unknown>>): CallToolResult;
}
