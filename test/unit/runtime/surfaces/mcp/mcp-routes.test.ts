import { describe, expect, it } from 'vitest';
import { mcpPartAt } from '#runtime/surfaces/mcp/mcp-routes';

describe('the namespaces of the MCP server', () => {
  it.each([
    ['/mcp', 'endpoint'],
    ['/mcp?x=1', 'endpoint'],
    ['/mcp/', 'endpoint'],
    ['/mcp/x', 'endpoint'],
    ['http://host.test/mcp', 'endpoint'],
    ['/oauth', 'authorization'],
    ['/oauth/token', 'authorization'],
    ['/.well-known/openid-configuration', 'authorization'],
    ['/mcp-dashboard', undefined],
    ['/MCP', undefined],
    ['/%6dcp', undefined],
    ['//mcp', undefined],
    ['/mcp;x', undefined],
    ['/', undefined],
  ])('without a base path, %s is for %s', (url, part) => {
    expect(mcpPartAt(url, '')).toBe(part);
  });

  it.each([
    ['/ai/mcp', 'endpoint'],
    ['/ai/oauth/authorize', 'authorization'],
    ['/.well-known/oauth-authorization-server/ai', 'authorization'],
    ['/.well-known/oauth-protected-resource/ai/mcp', 'authorization'],
    ['/.well-known/oauth-protected-resource/ai', undefined],
    ['/.well-known/oauth-authorization-server', undefined],
    ['/.well-known/oauth-authorization-server/ai-2', undefined],
    ['/mcp', undefined],
    ['/oauth/authorize', undefined],
    ['/ai/mcp-x', undefined],
    ['/ai', undefined],
  ])('with the base path /ai, %s is for %s', (url, part) => {
    expect(mcpPartAt(url, '/ai')).toBe(part);
  });

  it('a base path of /mcp leads to /mcp/mcp', () => {
    expect(mcpPartAt('/mcp/mcp', '/mcp')).toBe('endpoint');
    expect(mcpPartAt('/mcp', '/mcp')).toBeUndefined();
  });
});
