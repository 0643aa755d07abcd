import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { McpMark } from '#contracts/mcp-marks';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import { nearestName } from '#kernel/text/nearest-name';
import type { ActReporter } from '../../../activity/act-reporter.ts';
import { type AgentState, type AgentStateHolder, stateFor } from '../../request/agent-state.ts';
import type { ApprovalRequests } from '../../request/approval-requests.ts';
import type { PageCursors } from '../../request/page-cursors.ts';
import { type ProgramLimits, requireFewRecords } from '../../request/program-limits.ts';
import { publicErrorOf } from '../../request/public-error.ts';
import type { ReadPositions, RequestReads } from '../../request/read-positions.ts';
import type { SlowRequests } from '../../request/request-limits.ts';
import { SeenText } from '../marks/seen-text.ts';
import type { CallSubject } from '../safeguards/first-use.ts';
import { answerKey } from '../safeguards/idempotent-answers.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import { callerOf, unknownCollection } from './arguments.ts';
import { askForConfirmation, confirmationOf } from './confirm-call.ts';
import { giveAgain, giveAgreed, giveDone, giveFailure, giveRead, readsInFailure } from './give-answer.ts';
import { isPermitted } from './permitted-collections.ts';
import { consentTo } from './person-consent.ts';
import type { Preview } from './preview.ts';
import { type CallToCarryOut, type Dialogue, reported, reportedAsRead, type ToolAnswer } from './reported-call.ts';
import type { RegistrableTool, ToolCall, ToolOrder, ToolOutput } from './tool.ts';
import { toolFailure } from './tool-result.ts';

/** What tools are called with. */
export interface ToolServices {
  readonly states: AgentStateHolder;
  readonly logger: Logger;
  readonly random: Random;
  readonly cursors: PageCursors;
  /** What people have to see of databases that have replicas. Default: the primaries answer. */
  readonly readPositions?: ReadPositions | undefined;
  /** Reports what people do. */
  readonly reporter: ActReporter;
  /** Requests for approvals, which the platform keeps. */
  readonly approvals: ApprovalRequests;
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
  /** Hears which servers answered the reads, where a database has replicas. */
  readonly readFrom?: ReadFrom | undefined;
}

/** @param servers `primary`, and replicas by their addresses. */
export type ReadFrom = (servers: readonly string[]) => void;

/**
 * The way of a call. The mode of the server and the limits of the tool are asked, the state is acquired, the arguments are
 * checked, and the act is reported and carried out.
 */
export async function callTool(
  { tool, sent, claims, clientId, signal, dialogue, readFrom }: ReceivedCall,
  services: ToolServices,
): Promise<ToolAnswer> {
  const { states, logger, random, reporter, approvals, cursors, safeguards, slowRequests, programLimits } = services;
  const inUse = states.acquire();
  const requestId = random.orderedUuid();
  let end: (() => void) | undefined;
  let seen: SeenText | undefined;
  let positions: RequestReads | undefined;
  try {
    const isWrite = !tool.hints.readOnlyHint;
    if (isWrite && safeguards.isReadOnly) throw isReadOnly(tool.name);
    if (!inUse) throw states.absence() ?? new TypeError('A tool was called before the agent was started.');
    const state = await stateFor(inUse.state, claims);
    const limits = await state.authoriser.limitsOf(claims);
    if (limits?.tools?.has(tool.name) === false) throw isClosed(tool.name);
    if (isWrite) {
      safeguards.limits.takeWrite({ userId: claims.id, clientId });
      programLimits.takeWrite(claims, limits);
    }
    const order = tool.read(sent);
    const named = order.act.recordIds?.length ?? 0;
    safeguards.limits.requireFew(named);
    requireFewRecords(named, limits);
    // A write may wait for the word of a person, which is not work of the agent.
    if (!isWrite) end = await slowRequests.begin(claims.id, true, signal);
    seen = new SeenText(state.model);
    positions = positionsOf(state, claims, !isWrite, services);
    const call = {
      state,
      served: inUse.state,
      claims,
      requestId,
      approvals,
      cursors,
      signal,
      limits,
      notes: undefined,
      seen,
      reads: isWrite ? undefined : positions?.session,
    };
    const session = { personId: claims.id, client: clientId };
    const carrying = carryOut({
      tool: tool.name,
      isReading: !isWrite,
      order,
      call,
      session,
      dialogue,
      reporter,
      safeguards,
      random,
    });
    return await Promise.race([namingNearestCollection(carrying, call), whenGivenUp(signal)]);
  } catch (error) {
    if (!signal.aborted && publicErrorOf(error).status >= 500) {
      logger.log('Error', 'A tool failed.', { correlationId: requestId, tool: tool.name, error });
    }
    const isUntrusted = seen !== undefined && readsInFailure(seen, error).readCount > 0;
    return toolFailure(error, { nothing: tool.nothing, isUntrusted });
  } finally {
    end?.();
    // Takes down what was written. The client of a tool brings nothing along.
    positions?.end('done');
    if (positions) readFrom?.(positions.session.servers());
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

/** The protocol has no place in which every client keeps a position: the primary is asked for one. */
function positionsOf(
  { model }: AgentState,
  { id: personId }: AgentTokenClaims,
  isReading: boolean,
  { readPositions }: ToolServices,
): RequestReads | undefined {
  const { replicated: databases } = model;
  if (!databases?.length) return undefined;
  return readPositions?.begin({ databases, personId, sent: [], isReading, asksPrimary: true });
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

/** Carry out a call. A failure may have words of code that has read what people outside can write, so the platform learns about that too. */
async function carryOut(received: CallToCarryOut): Promise<ToolAnswer> {
  try {
    return received.isReading ? await read(received) : await write(received);
  } catch (error) {
    await giveFailure(received, error);
    throw error;
  }
}

function subjectOf({ tool, order, session }: CallToCarryOut): CallSubject {
  return { userId: session.personId, clientId: session.client, tool, given: order.given };
}

/** Read. The person agrees to more records than a session may be given that has read what people outside can write. */
async function read(received: CallToCarryOut): Promise<ToolAnswer> {
  const { order, session, safeguards } = received;
  let output: ToolOutput = {};
  const given = await reported(received, async (inside) => {
    output = await order.run(inside);
    return (await giveRead(received, output)) ?? notGiven;
  });
  if (given !== notGiven) return given;
  const mark = await safeguards.marks.find(session);
  if (!mark) return reported(received, () => giveAgreed(received, output));
  const preview = previewOfRead(order, output);
  const consent = await consentTo(received, subjectOf(received), mark, preview);
  if ('question' in consent) return consent.question;
  const agreed = { ...received, consent: consent.by };
  return reported(agreed, async () => {
    await consent.redeem(preview);
    return giveAgreed(agreed, output);
  });
}

/** Reported as a read that failed: nobody got its answer. */
const notGiven: CallToolResult = { content: [], isError: true };

function previewOfRead({ act, recordsIn }: ToolOrder, output: ToolOutput): Preview {
  const count = recordsIn(output);
  const message = `Give ${count} records of ${JSON.stringify(act.collection ?? act.label ?? 'the project')} to the assistant.`;
  return { message, count, sample: [] };
}

/**
 * Write. The answer of a dry run says what would be done. A key that was used before gets its earlier answer. A session that has read what
 * people outside can write needs the yes of its person; of others, a call that nobody has confirmed yet gets a question. Whatever
 * writes is reported before it is done; looking is reported as a read.
 */
async function write(received: CallToCarryOut): Promise<ToolAnswer> {
  const { order, session, safeguards } = received;
  const { tryOut, prepare, prepareForPerson, idempotencyKey } = order;
  if (tryOut) return giveAgreed(received, await reportedAsRead(received, tryOut));
  const subject = subjectOf(received);
  const key = idempotencyKey === undefined ? undefined : answerKey(subject, idempotencyKey);
  const kept = key && safeguards.answers.find(key);
  if (kept) return giveAgain(received, await kept);
  const mark = await safeguards.marks.find(session);
  if (mark && prepareForPerson) return writeAsAgreed(received, subject, mark, prepareForPerson, keyed);
  const done = async (inside: ToolCall) => giveDone(received, await order.run(inside));
  if (!prepare) return keyed(() => reported(received, done));
  const confirmation = await confirmationOf(received, subject);
  if (!confirmation) return askForConfirmation(received, subject, prepare);
  return keyed(() =>
    reported(received, async (inside) => {
      const prepared = await prepare(inside);
      if ('answer' in prepared) return giveAgreed(received, prepared.answer);
      await confirmation.redeem(prepared.preview);
      return done(inside);
    }),
  );

  function keyed(run: () => Promise<CallToolResult>): Promise<CallToolResult> {
    return key ? safeguards.answers.once(key, run) : run();
  }
}

/** Write what the person has agreed to, and looks the same as when they did. */
async function writeAsAgreed(
  received: CallToCarryOut,
  subject: CallSubject,
  mark: McpMark,
  prepare: NonNullable<ToolOrder['prepareForPerson']>,
  keyed: (run: () => Promise<CallToolResult>) => Promise<CallToolResult>,
): Promise<ToolAnswer> {
  const prepared = await reportedAsRead(received, prepare);
  if ('answer' in prepared) return giveAgreed(received, prepared.answer);
  const consent = await consentTo(received, subject, mark, prepared.preview);
  if ('question' in consent) return consent.question;
  const agreed = { ...received, consent: consent.by };
  return keyed(() =>
    reported(agreed, async (inside) => {
      const again = await prepare(inside);
      if ('answer' in again) return giveAgreed(agreed, again.answer);
      await consent.redeem(again.preview);
      return giveDone(agreed, await received.order.run(inside));
    }),
  );
}
