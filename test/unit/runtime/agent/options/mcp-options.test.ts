import { describe, expect, it } from 'vitest';
import { type McpOptions, parseMcpOptions } from '#runtime/agent/options/mcp-options';

const parse = (options: object) => parseMcpOptions(options as McpOptions, undefined);

describe('the safety options of mountAiMcpServer', () => {
  it('are read', () => {
    expect(parse({ readOnly: true, limits: { callsPerMinute: null, recordsPerCall: 5 } })).toEqual({
      basePath: '',
      enabledTools: undefined,
      safety: { isReadOnly: true, limits: { callsPerMinute: null, recordsPerCall: 5 } },
    });
    expect(parse({}).safety).toEqual({ isReadOnly: false, limits: {} });
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
