import { describe, expect, it } from 'vitest';
import { createCallLimits, defaultMcpLimits } from '#runtime/surfaces/mcp/safeguards/call-limits';

function create(limits: Partial<typeof defaultMcpLimits>) {
  const time = { now: 1_700_000_000_000 };
  const clock = { now: () => time.now, monotonicMs: () => 0 };
  return { time, limits: createCallLimits({ ...defaultMcpLimits, ...limits }, clock) };
}

const ada = { userId: 7, clientId: 'claude' };

const refused = (retryAfterSeconds: number) =>
  expect.objectContaining({ code: 'MCP_LIMIT_REACHED', details: { retryAfterSeconds } });

describe('the limits of calls', () => {
  it('come back one by one, evenly over the minute', () => {
    const { limits, time } = create({ callsPerMinute: 2 });
    limits.takeCall(ada);
    limits.takeCall(ada);
    expect(() => limits.takeCall(ada)).toThrow(refused(30));
    time.now += 30_000;
    limits.takeCall(ada);
    expect(() => limits.takeCall(ada)).toThrow(refused(30));
  });

  it('count writes apart', () => {
    const { limits, time } = create({ callsPerMinute: 2, writesPerMinute: 1 });
    limits.takeWrite(ada);
    for (let call = 0; call < 5; call++) expect(() => limits.takeWrite(ada)).toThrow(refused(60));
    limits.takeCall(ada);
    limits.takeCall(ada);
    expect(() => limits.takeCall(ada)).toThrow(refused(30));
    time.now += 60_000;
    limits.takeWrite(ada);
  });

  it('are those of one person and one client, and none where they are turned off', () => {
    const { limits } = create({ callsPerMinute: 1 });
    for (const caller of [ada, { ...ada, clientId: 'cursor' }, { ...ada, userId: 8 }]) limits.takeCall(caller);
    const { limits: off } = create({ callsPerMinute: null, writesPerMinute: null });
    for (let call = 0; call < 1_000; call++) {
      off.takeCall(ada);
      off.takeWrite(ada);
    }
  });
});
