import {
  type Ask,
  type AskState,
  askStateSchema,
  foundMarkSchema,
  type GivenAnswer,
  type GivenOutcome,
  givenOutcomeSchema,
  type McpMark,
  type McpSession,
  type UseOfYes,
  usedYesSchema,
} from '#contracts/mcp-marks';
import type { PlatformTransport } from './platform-transport.ts';

/** The marks of MCP sessions at the platform, as agents ask for them and tell of them: `#contracts/mcp-marks`. */
export interface McpMarkClient {
  /** `null` for a session without a mark. */
  find(session: McpSession): Promise<McpMark | null>;
  /** Say what is about to be given to a client. */
  give(answer: GivenAnswer): Promise<GivenOutcome>;
  ask(asked: Ask): Promise<AskState>;
  /** Whether there was a yes that this run may use. */
  useYes(use: UseOfYes): Promise<boolean>;
}

export function createMcpMarkClient(transport: PlatformTransport): McpMarkClient {
  const post = { method: 'POST', credential: 'envSecret', isRepeatable: true } as const;
  return {
    find: async (json) =>
      (await transport.fetchJson({ ...post, path: 'agent/v1/mcp/marks/question', json }, foundMarkSchema)).mark,
    // Sent again, it would count the records twice; that errs on the side of the person.
    give: (json) => transport.fetchJson({ ...post, path: 'agent/v1/mcp/marks/answers', json }, givenOutcomeSchema),
    ask: (json) => transport.fetchJson({ ...post, path: 'agent/v1/mcp/asks', json }, askStateSchema),
    useYes: async (json) =>
      (await transport.fetchJson({ ...post, path: 'agent/v1/mcp/asks/uses', json }, usedYesSchema)).isAgreed,
  };
}
