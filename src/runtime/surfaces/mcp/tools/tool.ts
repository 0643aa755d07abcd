import type * as z from 'zod';
import { toDotPath } from 'zod/v4/core';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { McpScope, ToolName } from '#contracts/mcp';
import type { CloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { Act } from '../../../activity/act-reporter.ts';
import type { ReadSession } from '../../../data-sources/interface/read-session.ts';
import type { CompiledModel } from '../../../model/compiled-model.ts';
import type { ClientLimits } from '../../../permissions/client-rules.ts';
import type { WriteNotes } from '../../../records/calls/call-context.ts';
import type { AgentState } from '../../request/agent-state.ts';
import type { ApprovalRequests } from '../../request/approval-requests.ts';
import type { PageCursors } from '../../request/page-cursors.ts';
import type { SeenText } from '../marks/seen-text.ts';
import { jsonSchemaOf } from '../render/compact-schema.ts';
import type { Preview } from './preview.ts';
import { readSent } from './sent-arguments.ts';

/** Who asks, and the model that is served. */
export interface PersonalCall {
  readonly state: AgentState;
  readonly claims: AgentTokenClaims;
  readonly requestId: string;
}

/** The call of a tool. */
export interface ToolCall extends PersonalCall {
  /** What all callers share, for the rights of somebody else. */
  readonly served: AgentState;
  readonly cursors: PageCursors;
  readonly approvals: ApprovalRequests;
  /** Aborted when the client goes away or cancels. */
  readonly signal: AbortSignal;
  /** Of the program that calls; `undefined` for none. */
  readonly limits: ClientLimits | undefined;
  /** Takes what the report of a write says. `undefined` where nothing is reported, and for reads. */
  readonly notes: WriteNotes | undefined;
  /** Of a tool that only reads, where a database has replicas. */
  readonly reads?: ReadSession | undefined;
  /** Takes down what the call reads of text that people outside can write. */
  readonly seen: SeenText;
}

/** All four hints, so that no client has to assume the worst. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** Whether it reaches beyond the data of the project. */
  readonly openWorldHint: boolean;
}

/** What comes before a call is carried out: an answer in its place, or a question to a person. */
export type Prepared<Answer> = { readonly answer: Answer } | { readonly preview: Preview };

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  /** The scope that a token needs for it. */
  readonly scope: McpScope;
  /** A strict object: unknown arguments are refused. `dryRun`, `confirmationToken` and `idempotencyKey` are about the call itself. */
  readonly input: Input;
  readonly output: Output;
  /** What a call is reported as: names and ids, and never a value. */
  act(input: z.output<Input>): Act;
  /** What it does to the records at the far end of a relation; it is reported besides. */
  farAct?(input: z.output<Input>, model: CompiledModel): Act | undefined;
  /** Answers a dry run. A call that would be carried out with these arguments is checked, and nothing is written. */
  tryOut?(input: z.output<Input>, call: ToolCall): Promise<z.input<Output>>;
  /** Every call has to be confirmed. Nothing is written here. */
  prepare?(input: z.output<Input>, call: ToolCall): Promise<Prepared<z.input<Output>>>;
  /** The same for calls of an assistant that has read what people outside can write, where others need no confirmation. */
  prepareForPerson?(input: z.output<Input>, call: ToolCall): Promise<Prepared<z.input<Output>>>;
  run(input: z.output<Input>, call: ToolCall): Promise<z.input<Output>>;
  /** Whether an answer tells of a failure. Default: none does. */
  hasFailed?(output: z.input<Output>): boolean;
  /** How many records an answer gives to the client. Default: none. */
  recordsIn?(output: z.input<Output>): number;
  /** Whether an answer holds words that code of the project has chosen. Default: those of tools that read do. */
  holdsWordsOfCode?(output: z.input<Output>): boolean;
  /** The same answer without what a client fetches, or opens. Default: there is nothing of that kind. */
  withoutAddresses?(output: z.input<Output>): z.input<Output>;
  /** An answer with no record, which stands beside a question to the person. Default: the status says it. */
  readonly nothing?: z.input<Output>;
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
  const { tryOut, prepare, prepareForPerson = prepare } = tool;
  return {
    ...tool,
    read: (sent) => {
      const input = readArguments(tool, sent);
      const { dryRun, confirmationToken, idempotencyKey, ...given } = input as AboutTheCall;
      return {
        given,
        confirmationToken,
        idempotencyKey,
        act: tool.act(input),
        farAct: (model) => tool.farAct?.(input, model),
        tryOut: dryRun === true && tryOut ? (call) => tryOut(input, call) : undefined,
        prepare: prepare && ((call) => prepare(input, call)),
        prepareForPerson: prepareForPerson && ((call) => prepareForPerson(input, call)),
        run: (call) => tool.run(input, call),
        hasFailed: (output) => tool.hasFailed?.(output as z.input<Output>) ?? false,
        recordsIn: (output) => tool.recordsIn?.(output as z.input<Output>) ?? 0,
        holdsWordsOfCode: (output) => tool.holdsWordsOfCode?.(output as z.input<Output>) ?? tool.hints.readOnlyHint,
        withoutAddresses: (output) => tool.withoutAddresses?.(output as z.input<Output>) ?? output,
      };
    },
  };
}

/** The arguments that are about the call itself. */
interface AboutTheCall extends Readonly<Record<string, unknown>> {
  readonly dryRun?: boolean;
  readonly confirmationToken?: string;
  readonly idempotencyKey?: string;
}

export type ToolOutput = Readonly<Record<string, unknown>>;

/** What a client asks of a tool. */
export interface ToolOrder {
  /** The arguments, without those about the call itself. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly confirmationToken: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly act: Act;
  farAct(model: CompiledModel): Act | undefined;
  /** `undefined` unless a dry run is asked for. */
  readonly tryOut: ((call: ToolCall) => Promise<ToolOutput>) | undefined;
  /** `undefined` for a tool whose calls need no confirmation. */
  readonly prepare: ((call: ToolCall) => Promise<Prepared<ToolOutput>>) | undefined;
  /** `undefined` for a tool that only reads. */
  readonly prepareForPerson: ((call: ToolCall) => Promise<Prepared<ToolOutput>>) | undefined;
  run(call: ToolCall): Promise<ToolOutput>;
  hasFailed(output: ToolOutput): boolean;
  recordsIn(output: ToolOutput): number;
  holdsWordsOfCode(output: ToolOutput): boolean;
  withoutAddresses(output: ToolOutput): ToolOutput;
}

/** A tool as the server lists and calls it. */
export interface RegistrableTool
  extends Pick<Tool, 'name' | 'title' | 'description' | 'hints' | 'scope' | 'input' | 'output'> {
  readonly nothing?: ToolOutput;
  /** Check what a client sent. Throws `REQUEST_INVALID`, which names the argument. */
  read(sent: Readonly<Record<string, unknown>>): ToolOrder;
}

/** A tool, as far as its arguments go. */
interface Called<Input extends z.ZodObject> {
  readonly name: string;
  readonly input: Input;
}

/** The arguments of a call, checked. Throws `REQUEST_INVALID`, which names the argument. */
function readArguments<Input extends z.ZodObject>(
  tool: Called<Input>,
  sent: Readonly<Record<string, unknown>>,
): z.output<Input> {
  const asSent = tool.input.safeParse(sent);
  const parsed = asSent.success ? asSent : tool.input.safeParse(readSent(tool.input, sent));
  if (parsed.success) return parsed.data;
  throw refusalOf(tool, parsed.error.issues[0]);
}

function refusalOf({ name, input }: Called<z.ZodObject>, issue: z.core.$ZodIssue | undefined): CloudError {
  const known = Object.keys(input.shape);
  const given = known.length > 0 ? `Give only these: ${known.join(', ')}.` : 'Give none.';
  if (issue?.code === 'unrecognized_keys' && issue.path.length === 0) {
    const [unknown = ''] = issue.keys;
    return invalidRequest(
      `The tool "${name}" has no argument "${unknown}".${didYouMean(nearestName(unknown, known))}`,
      given,
    );
  }
  if (!issue || issue.path.length === 0) {
    return invalidRequest(`The arguments of the tool "${name}" cannot be used: ${wrongIn(issue)}.`, given);
  }
  const innermost = innermostIssue(issue);
  return invalidRequest(
    `The argument "${toDotPath(innermost.path)}" of the tool "${name}" cannot be used: ${wrongIn(innermost)}.`,
    schemaStep(input, issue.path[0]) ?? given,
  );
}

function wrongIn(issue: z.core.$ZodIssue | undefined): string {
  return issue === undefined || issue.code === 'invalid_union' ? 'it has the wrong form' : issue.message;
}

/** What is wrong in the alternative that was meant: one whose type fits. */
function innermostIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  const meant = issue.code === 'invalid_union' ? issue.errors.find(([first]) => first && isInside(first)) : undefined;
  return meant?.[0] ? innermostIssue({ ...meant[0], path: [...issue.path, ...meant[0].path] }) : issue;
}

function isInside({ path, code }: z.core.$ZodIssue): boolean {
  return path.length > 0 || code !== 'invalid_type';
}

/** A model corrects one argument by its schema. Those of the whole tool would be long. */
function schemaStep({ shape }: z.ZodObject, argument: PropertyKey | undefined): string | undefined {
  const schema = typeof argument === 'string' && Object.hasOwn(shape, argument) ? shape[argument] : undefined;
  if (!schema) return undefined;
  return `Give "${String(argument)}" as its schema says: ${JSON.stringify(jsonSchemaOf(schema, 'input'))}`;
}
