import type { AgentTokenClaims } from '#contracts/agent-token';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { ActReporter } from '../../../activity/act-reporter.ts';
import type { AgentStateHolder } from '../../request/agent-state.ts';
import { publicErrorOf } from '../../request/public-error.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import type { Dialogue, ToolAnswer } from './call-to-carry-out.ts';
import { carryOut } from './carry-out.ts';
import { namingNearestCollection } from './nearest-collection.ts';
import type { PageCursors } from './page-cursors.ts';
import type { RegistrableTool } from './tool.ts';
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
 * The way of a call: the mode of the server and the limits of the tool are asked, the state is acquired, the arguments are
 * checked, the act is reported and carried out.
 */
export async function callTool(
  { tool, sent, claims, clientId, signal, dialogue }: ReceivedCall,
  { states, logger, random, reporter, cursors, safeguards }: ToolServices,
): Promise<ToolAnswer> {
  const inUse = states.acquire();
  const requestId = random.uuid();
  try {
    const isWrite = !tool.hints.readOnlyHint;
    if (isWrite && safeguards.isReadOnly) throw isReadOnly(tool.name);
    if (isWrite) safeguards.limits.takeWrite({ userId: claims.id, clientId });
    if (!inUse) throw states.absence() ?? new TypeError('A tool was called before the agent was started.');
    const order = tool.read(sent);
    safeguards.limits.requireFew(order.act.recordIds?.length ?? 0);
    const call = { state: inUse.state, claims, requestId, cursors, signal, notes: undefined };
    const answered = (output: Readonly<Record<string, unknown>>) => toolSuccess(output, random.uuid());
    const carrying = carryOut({ tool: tool.name, order, call, clientId, dialogue, reporter, safeguards, answered });
    return await Promise.race([namingNearestCollection(carrying, call), whenGivenUp(signal)]);
  } catch (error) {
    if (!signal.aborted && publicErrorOf(error).status >= 500) {
      logger.log('Error', 'A tool failed.', { correlationId: requestId, tool: tool.name, error });
    }
    return toolFailure(error);
  } finally {
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
