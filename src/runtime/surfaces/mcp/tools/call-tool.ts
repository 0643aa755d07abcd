import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import { nearestName } from '#kernel/text/nearest-name';
import type { ActReporter } from '../../../activity/act-reporter.ts';
import { type AgentStateHolder, stateFor } from '../../request/agent-state.ts';
import type { PageCursors } from '../../request/page-cursors.ts';
import { type ProgramLimits, requireFewRecords } from '../../request/program-limits.ts';
import { publicErrorOf } from '../../request/public-error.ts';
import type { SlowRequests } from '../../request/request-limits.ts';
import type { CallSubject } from '../safeguards/first-use.ts';
import { answerKey } from '../safeguards/idempotent-answers.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import { callerOf, unknownCollection } from './arguments.ts';
import { askForConfirmation, confirmationOf } from './confirm-call.ts';
import { isPermitted } from './permitted-collections.ts';
import { type CallToCarryOut, type Dialogue, reported, reportedAsRead, type ToolAnswer } from './reported-call.ts';
import type { RegistrableTool, ToolCall } from './tool.ts';
import { toolFailure, toolSuccess } from './tool-result.ts';

/** What tools are called with. */
export interface ToolServices {
  readonly states: AgentStateHolder;
  readonly logger: Logger;
  readonly random: Random;
  readonly cursors: PageCursors;
  /** Reports what people do. */
  readonly reporter: ActReporter;
  readonly safeguards: Safeguards;
  /** Those of the REST API too: a person has one share of the agent. */
  readonly slowRequests: SlowRequests;
  /** Those of the REST API too: a program has one share of the agent. */
  readonly programLimits: ProgramLimits;
}

/** One call of a tool by a client. */
export interface ReceivedCall {
  readonly tool: RegistrableTool;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly claims: AgentTokenClaims;
  /** The OAuth client that the person uses. */
  readonly clientId: string;
  readonly signal: AbortSignal;
  readonly dialogue: Dialogue;
}

/**
 * The way of a call. The mode of the server and the limits of the tool are asked, the state is acquired, the arguments are
 * checked, and the act is reported and carried out.
 */
export async function callTool(
  { tool, sent, claims, clientId, signal, dialogue }: ReceivedCall,
  { states, logger, random, reporter, cursors, safeguards, slowRequests, programLimits }: ToolServices,
): Promise<ToolAnswer> {
  const inUse = states.acquire();
  const requestId = random.uuid();
  let end: (() => void) | undefined;
  try {
    const isWrite = !tool.hints.readOnlyHint;
    if (isWrite && safeguards.isReadOnly) throw isReadOnly(tool.name);
    if (!inUse) throw states.absence() ?? new TypeError('A tool was called before the agent was started.');
    const limits = await inUse.state.authoriser.limitsOf(claims);
    if (limits?.tools?.has(tool.name) === false) throw isClosed(tool.name);
    if (isWrite) {
      safeguards.limits.takeWrite({ userId: claims.id, clientId });
      programLimits.takeWrite(claims, limits);
    }
    const order = tool.read(sent);
    const named = order.act.recordIds?.length ?? 0;
    safeguards.limits.requireFew(named);
    requireFewRecords(named, limits);
    // A write may wait for the word of a person, which is no work of the agent.
    if (!isWrite) end = await slowRequests.begin(claims.id, true, signal);
    const state = await stateFor(inUse.state, claims);
    const call = { state, claims, requestId, cursors, signal, limits, notes: undefined };
    const answered = (output: Readonly<Record<string, unknown>>) => toolSuccess(output, random.uuid());
    const carrying = carryOut({ tool: tool.name, order, call, clientId, dialogue, reporter, safeguards, answered });
    return await Promise.race([namingNearestCollection(carrying, call), whenGivenUp(signal)]);
  } catch (error) {
    if (!signal.aborted && publicErrorOf(error).status >= 500) {
      logger.log('Error', 'A tool failed.', { correlationId: requestId, tool: tool.name, error });
    }
    return toolFailure(error);
  } finally {
    end?.();
    inUse?.release();
  }
}

/** Rejects when the call is given up. What carries it out may go on; nobody waits for it, and it keeps no agent from stopping. */
function whenGivenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function isReadOnly(tool: string): CloudError {
  return cloudError(
    'MCP_READ_ONLY',
    `The tool "${tool}" writes, and this server is in its read-only mode.`,
    'Use the tools that read. Whoever runs the agent may turn the mode off.',
  );
}

function isClosed(tool: string): CloudError {
  return cloudError('REQUEST_FORBIDDEN', `This program may not use the tool "${tool}" for you.`, [
    'Use the tools that the server lists.',
    'An administrator of the project may allow it more, in "clients" of the rights.',
  ]);
}

/** The answer of a tool. The error for an unknown collection names the nearest one, if the caller may see that. */
async function namingNearestCollection<Answer>(answer: Promise<Answer>, call: ToolCall): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const wanted = isCloudError(error) ? error.details['unknownCollection'] : undefined;
    const { model, authoriser } = call.state;
    const nearest = typeof wanted === 'string' ? nearestName(wanted, model.collections.keys()) : undefined;
    if (typeof wanted !== 'string' || nearest === undefined) throw error;
    const isVisible = await isPermitted(authoriser.require(callerOf(call), nearest, 'browse'));
    throw isVisible ? unknownCollection(wanted, nearest) : error;
  }
}

/**
 * Carry out a call. The answer of a dry run says what would be done. A key that was used before gets its earlier answer, and a
 * call that nobody has confirmed yet gets a question. Whatever writes is reported before it is done; looking is reported as a
 * read.
 */
async function carryOut(received: CallToCarryOut): Promise<ToolAnswer> {
  const { tool, order, call, clientId, safeguards } = received;
  const { tryOut, prepare, idempotencyKey } = order;
  if (tryOut) return received.answered(await reportedAsRead(received, tryOut));
  const subject: CallSubject = { userId: call.claims.id, clientId, tool, given: order.given };
  const key = idempotencyKey === undefined ? undefined : answerKey(subject, idempotencyKey);
  const kept = key && safeguards.answers.find(key);
  if (kept) return kept;
  if (!prepare) return keyed(() => reported(received, order.run));
  const confirmation = await confirmationOf(received, subject);
  if (!confirmation) return askForConfirmation(received, subject, prepare);
  return keyed(() =>
    reported(received, async (inside) => {
      const prepared = await prepare(inside);
      if ('answer' in prepared) return prepared.answer;
      await confirmation.redeem(prepared.preview);
      return order.run(inside);
    }),
  );

  function keyed(run: () => Promise<CallToolResult>): Promise<CallToolResult> {
    return key ? safeguards.answers.once(key, run) : run();
  }
}
