import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { Random } from '#kernel/ports/random';
import type { AgentStateHolder } from '../../request/agent-state.ts';
import { publicErrorOf } from '../../request/public-error.ts';
import type { PersonalCall } from '../tools/tool.ts';
import { getActionPrompt, listActionPrompts } from './action-prompts.ts';

interface PromptServices {
  readonly states: AgentStateHolder;
  readonly random: Random;
}

/** Let a client show a prompt for each action that the caller may trigger. */
export function offerActionPrompts(server: Server, claims: AgentTokenClaims, { states, random }: PromptServices): void {
  const ask = async <Answer>(answer: (call: PersonalCall) => Promise<Answer>): Promise<Answer> => {
    const inUse = states.acquire();
    if (!inUse) throw states.absence() ?? new TypeError('Prompts were asked for before the agent was started.');
    try {
      return await answer({ state: inUse.state, claims, requestId: random.uuid() });
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      throw new ProtocolError(ProtocolErrorCode.InternalError, publicErrorOf(error).detail);
    } finally {
      inUse.release();
    }
  };
  server.setRequestHandler('prompts/list', async () => ({ prompts: await ask(listActionPrompts) }));
  server.setRequestHandler('prompts/get', ({ params }) =>
    ask((call) => getActionPrompt(params.name, params.arguments ?? {}, call)),
  );
}
