import { describe, expect, it } from 'vitest';
import { parseAgentAddresses } from '#cli/flags/agent-addresses';
import { createReachedAgents } from '#flows/platform/reached-agents';

const production = {
  id: 7,
  projectId: 1,
  projectName: 'shop',
  name: 'production',
  type: 'production' as const,
  apiEndpoint: null,
  agentAddresses: [],
};

describe('the addresses of agents that a platform reaches', () => {
  it.each([
    ['production=https://a.example.com/service', undefined, 'https://a.example.com/service'],
    ['shop/production=http://127.0.0.1:3351/service', 'shop', 'http://127.0.0.1:3351/service'],
    ['a=b/c d/production=https://a.example.com', 'a=b/c d', 'https://a.example.com'],
  ])('are read from %s', (text, project, url) => {
    expect(parseAgentAddresses([text])).toEqual([{ project, environment: 'production', url }]);
  });

  it.each([
    'production',
    'https://a.example.com',
    'Production=https://a.example.com',
    'production=ftp://a.example.com',
    'production=http://a.example.com/service',
    'production=https://user:secret@a.example.com',
    'production=https://a.example.com/service?a=b',
  ])('are refused where they say something else: %s', (text) => {
    expect(() => parseAgentAddresses([text])).toThrow('is not an address of an agent');
  });

  it('are those that were named, and the one of the own process once it serves', async () => {
    const secret = 's'.repeat(64);
    const agents = createReachedAgents(parseAgentAddresses(['bank/production=https://bank.example.com']), secret);
    agents.lookIn({ findEnvironment: async (given) => (given === secret ? production : undefined) });
    expect(await agents.addressOf({ ...production, projectName: 'bank', id: 8 })).toBe('https://bank.example.com');
    expect(await agents.addressOf(production)).toBe(undefined);
    agents.hostedAt('http://127.0.0.1:3351/service');
    expect(await agents.addressOf(production)).toBe('http://127.0.0.1:3351/service');
    expect(await agents.addressOf({ ...production, name: 'staging', id: 9 })).toBe(undefined);
  });
});
