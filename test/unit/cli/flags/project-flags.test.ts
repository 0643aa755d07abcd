import { describe, expect, it } from 'vitest';
import { portWishes } from '#cli/flags/project-flags';

describe('portWishes', () => {
  it('takes the usual ports, and others when the usual ones are busy', () => {
    expect(portWishes({})).toEqual({
      agent: { port: 3351, isExact: false, flag: '--agent-port' },
      sandbox: { port: 3310, isExact: false, flag: '--sandbox-port' },
      mcp: { port: 3931, isExact: false, flag: '--mcp-port' },
    });
  });

  it('gives way with a usual port that another server was given', () => {
    expect(portWishes({ 'agent-port': 3310 })).toEqual({
      agent: { port: 3310, isExact: true, flag: '--agent-port' },
      sandbox: { port: 0, isExact: false },
      mcp: { port: 3931, isExact: false, flag: '--mcp-port' },
    });
  });

  it('refuses one port for two servers, and names their flags', () => {
    expect(() => portWishes({ 'agent-port': 4000, 'mcp-port': 4000 })).toThrow(
      expect.objectContaining({
        code: 'USAGE_INVALID',
        message: '--agent-port and --mcp-port name the same port, 4000. Each server needs its own.',
      }),
    );
  });

  it('lets several servers take any free port', () => {
    expect(portWishes({ 'agent-port': 0, 'mcp-port': 0 })).toMatchObject({ agent: { port: 0 }, mcp: { port: 0 } });
  });
});
