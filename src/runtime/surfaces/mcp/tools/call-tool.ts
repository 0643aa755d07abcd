import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { ActReporter } from '../../../activity/act-reporter.ts';
import type { AgentStateHolder } from '../../request/agent-state.ts';
import { publicErrorOf } from '../../request/public-error.ts';
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
}

/** One call of a tool by a client. */
export interface ReceivedCall {
  readonly tool: RegistrableTool;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly claims: AgentTokenClaims;
  readonly signal: AbortSignal;
}

/** The way of a call: the state is acquired, the arguments are checked, the act is reported and carried out. */
export async function callTool(
  { tool, sent, claims, signal }: ReceivedCall,
  { states, logger, random, reporter, cursors }: ToolServices,
): Promise<CallToolResult> {
  const inUse = states.acquire();
  const requestId = random.uuid();
  try {
    if (!inUse) throw states.absence() ?? new TypeError('A tool was called before the agent was started.');
    const { state } = inUse;
    const order = tool.read(sent);
    const by = { source: 'mcp' as const, claims, correlationId: requestId, model: state.model };
    const answer = await reporter.carryOut(order.act, by, (notes) => {
      const call = { state, claims, requestId, cursors, signal, notes };
      return namingNearestCollection(order.run(call), call);
    });
    return toolSuccess(answer, random.uuid());
  } catch (error) {
    if (publicErrorOf(error).status >= 500) {
      logger.log('Error', 'A tool failed.', { correlationId: requestId, tool: tool.name, error });
    }
    return toolFailure(error);
  } finally {
    inUse?.release();
  }
}
