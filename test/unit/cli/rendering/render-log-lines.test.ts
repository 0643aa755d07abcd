import { describe, expect, it } from 'vitest';
import { agentLogFilter } from '#cli/rendering/render-log-lines';

const line = {
  time: '2026-01-31T12:00:00.000Z',
  level: 'Info',
  message: 'GET /service/orders 200',
  facts: { status: 200, durationMs: 3, correlationId: 'abc' },
} as const;

describe('agentLogFilter', () => {
  it('asks for nothing without flags, and for requests with a text only', () => {
    expect(agentLogFilter({})).toBeUndefined();
    expect(agentLogFilter({ grep: 'x' })?.level).toBe('Info');
    expect(agentLogFilter({ level: 'debug' })?.level).toBe('Debug');
  });

  it('keeps lines that contain the text, without regard to case', () => {
    expect(agentLogFilter({ grep: 'ORDERS' })?.shouldTell(line)).toBe(true);
    expect(agentLogFilter({ grep: 'customers' })?.shouldTell(line)).toBe(false);
    expect(agentLogFilter({ level: 'info' })?.shouldTell(line)).toBe(true);
  });
});
