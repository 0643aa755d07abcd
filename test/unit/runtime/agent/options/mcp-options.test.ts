import { describe, expect, it } from 'vitest';
import { type McpOptions, parseMcpOptions } from '#runtime/agent/options/mcp-options';
import { defaultMcpLimits } from '#runtime/surfaces/mcp/safeguards/call-limits';

const nothing = { mcpEnabledTools: undefined, mcpReadOnly: undefined };
const parse = (options: object, mcpReadOnly?: string) =>
  parseMcpOptions(options as McpOptions, { ...nothing, mcpReadOnly });

describe('the options of mountAiMcpServer', () => {
  it('are read', () => {
    expect(parse({ readOnly: true, limits: { callsPerMinute: null, recordsPerCall: 5 } })).toEqual({
      basePath: '',
      enabledTools: undefined,
      safety: { isReadOnly: true, limits: { ...defaultMcpLimits, callsPerMinute: null, recordsPerCall: 5 } },
    });
    expect(parse({}).safety).toEqual({ isReadOnly: false, limits: defaultMcpLimits });
  });

  it('take the read-only mode from the machine where they do not say it', () => {
    const isReadOnly = (options: object, variable?: string) => parse(options, variable).safety?.isReadOnly;
    expect([undefined, '', 'false', 'true'].map((variable) => isReadOnly({}, variable))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect([isReadOnly({ readOnly: false }, 'true'), isReadOnly({ readOnly: true }, 'false')]).toEqual([false, true]);
    // A typo must not let anybody write.
    for (const variable of ['yes', 'True', '1', ' true']) {
      expect(() => parse({}, variable)).toThrow(
        expect.objectContaining({
          code: 'AGENT_OPTION_INVALID',
          message: 'The environment variable SERVICE_MCP_READ_ONLY is invalid: it must be true or false.',
        }),
      );
    }
  });

  it('are refused with the nearest name if there is not one of that name', () => {
    expect(() => parse({ basePth: '/ai' })).toThrow('there is no such option; the nearest one is "basePath"');
    expect(() => parse({ limits: { callPerMinute: 5 } })).toThrow('the nearest one is "callsPerMinute"');
  });

  it.each([
    ['ai/', '/ai'],
    ['//a//b ', '/a/b'],
    ['/', ''],
    ['', ''],
  ])('have one form of the base path "%s"', (basePath, normalized) => {
    expect(parse({ basePath }).basePath).toBe(normalized);
  });

  it.each([
    ['readonly', { readonly: true }],
    ['readOnly', { readOnly: 'true' }],
    ['limits', { limits: 5 }],
    ['limits.callPerMinute', { limits: { callPerMinute: 5 } }],
    ['limits.writesPerMinute', { limits: { writesPerMinute: 0 } }],
    ['limits.recordsPerCall', { limits: { recordsPerCall: null } }],
  ])('are refused by name where they are misspelt or of no use: %s', (name, options) => {
    expect(() => parse(options)).toThrow(
      expect.objectContaining({ code: 'AGENT_OPTION_INVALID', message: expect.stringContaining(`"${name}"`) }),
    );
  });
});
