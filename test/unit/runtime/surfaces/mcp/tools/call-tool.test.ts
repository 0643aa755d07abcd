import { describe, expect, it } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createActReporter } from '#runtime/activity/act-reporter';
import { createSafeguards } from '#runtime/surfaces/mcp/safeguards/safeguards';
import { callTool } from '#runtime/surfaces/mcp/tools/call-tool';
import { tools } from '#runtime/surfaces/mcp/tools/index';
import { createAgentStateHolder } from '#runtime/surfaces/request/agent-state';
import { createPageCursors } from '#runtime/surfaces/request/page-cursors';
import { ProgramLimits } from '#runtime/surfaces/request/program-limits';
import { defaultRequestLimits, SlowRequests } from '#runtime/surfaces/request/request-limits';
import { marksInMemory } from '../../../../../helpers/mcp-marks.ts';
import { noApprovals } from '../../../../../helpers/no-approvals.ts';
import { identity, spendOnce } from '../../../../../helpers/shop-agent.ts';

const services = {
  states: createAgentStateHolder(),
  logger: silentLogger,
  random: systemRandom,
  reporter: createActReporter(undefined),
  approvals: noApprovals,
  cursors: createPageCursors(Buffer.alloc(32)),
  slowRequests: new SlowRequests(defaultRequestLimits),
  programLimits: new ProgramLimits(systemClock),
  safeguards: createSafeguards(
    {
      authSecret: 'secret',
      platform: { spendApproval: spendOnce(), mcpMarks: marksInMemory() },
      clock: systemClock,
      random: systemRandom,
    },
    { isReadOnly: true },
  ),
};

describe('the call of a tool', () => {
  it.each(tools.map((tool) => [tool.name, tool] as const))(
    'is refused in the read-only mode where the tool writes, however it came there: %s',
    async (_name, tool) => {
      const { signal } = new AbortController();
      const dialogue = { canAsk: false, confirmation: undefined, reply: undefined };
      const answer = await callTool({ tool, sent: {}, claims: identity, clientId: '', signal, dialogue }, services);
      const isRefused = JSON.stringify(answer).includes('MCP_READ_ONLY');
      expect(isRefused).toBe(!tool.hints.readOnlyHint);
    },
  );

  it('writes with six tools and no other', () => {
    const writing = tools.filter(({ hints }) => !hints.readOnlyHint).map(({ name }) => name);
    expect(writing).toEqual(['create', 'update', 'delete', 'associate', 'dissociate', 'executeAction']);
  });
});
