import { describe, expect, it } from 'vitest';
import { agentLogFilter, renderLogLine } from '#cli/rendering/render-log-lines';
import { plainTerminal } from '../../../helpers/plain-terminal.ts';

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

it('a line of a log names the zone of its time, and keeps its further lines below it', () => {
  const line = {
    at: '2026-03-01T10:20:30.456Z',
    level: 'Error',
    source: 'dev',
    text: 'first\nsecond',
  } as const;
  expect(renderLogLine(line, plainTerminal()).split('\n')).toEqual([
    '2026-03-01 10:20:30Z error dev first',
    '    second',
  ]);
});

it('a line of a log does not steer the terminal, whoever wrote its text or named its host', () => {
  const line = {
    at: '2026-03-01T10:20:30.456Z',
    level: 'Info',
    source: 'host\u001b]0;owned\u0007\none',
    text: 'a\u001b[2Jb\rc\u009b31md\n\u001b[1Ae\u0008f',
  } as const;
  expect(renderLogLine(line, plainTerminal()).split('\n')).toEqual([
    '2026-03-01 10:20:30Z info  host one ab cd',
    '    e f',
  ]);
});
