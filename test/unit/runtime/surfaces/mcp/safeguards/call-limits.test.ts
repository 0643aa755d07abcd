import { describe, expect, it } from 'vitest';
import { createCallLimits, defaultMcpLimits } from '#runtime/surfaces/mcp/safeguards/call-limits';

function create(limits: Partial<typeof defaultMcpLimits>) {
  const time = { now: 1_700_000_000_000 };
  const clock = { now: () => time.now, monotonicMs: () => 0 };
  return { time, limits: createCallLimits({ ...defaultMcpLimits, ...limits }, clock) };
}

const refused = (retryAfterSeconds: number) =>
  expect.objectContaining({ code: 'MCP_LIMIT_REACHED', details: { retryAfterSeconds } });

describe('the limits of calls', () => {
  it('come back one by one, evenly over the minute', () => {
    const { limits, time } = create({ callsPerMinute: 2 });
    limits.take('7 claude', false);
    limits.take('7 claude', false);
    expect(() => limits.take('7 claude', false)).toThrow(refused(30));
    time.now += 30_000;
    limits.take('7 claude', false);
    expect(() => limits.take('7 claude', false)).toThrow(refused(30));
  });

  it('count writes apart, and take nothing from one limit where the other is reached', () => {
    const { limits, time } = create({ callsPerMinute: 3, writesPerMinute: 1 });
    limits.take('7 claude', true);
    for (let call = 0; call < 5; call++) expect(() => limits.take('7 claude', true)).toThrow(refused(60));
    limits.take('7 claude', false);
    limits.take('7 claude', false);
    expect(() => limits.take('7 claude', false)).toThrow(refused(20));
    time.now += 60_000;
    limits.take('7 claude', true);
  });

  it('are those of one person and one client, and none where they are turned off', () => {
    const { limits } = create({ callsPerMinute: 1 });
    for (const caller of ['7 claude', '7 cursor', '8 claude']) limits.take(caller, false);
    const { limits: off } = create({ callsPerMinute: null, writesPerMinute: null });
    for (let call = 0; call < 1_000; call++) off.take('7 claude', true);
  });
});
