import { expect, it } from 'vitest';
import { originOfMounted } from '#runtime/agent/serve/mcp-serving';

const at = (url: string | undefined, isProduction = false) => ({
  publicUrl: async () => url,
  isProduction,
  createSurface: () => {
    throw new TypeError('Nothing is served here.');
  },
  ownSettings: { basePath: '', enabledTools: undefined },
  ownUrl: undefined,
});

it('the public address of an MCP server is an origin', async () => {
  expect(await originOfMounted(at('https://Admin.example.com/'), undefined)).toBe('https://admin.example.com');
  expect(await originOfMounted(at(undefined), 'http://127.0.0.1:3351')).toBe('http://127.0.0.1:3351');
});

it('an address in development may be unknown until somebody asks, and in production it may not', async () => {
  expect(await originOfMounted(at(undefined), undefined)).toBeUndefined();
  await expect(originOfMounted(at(undefined, true), undefined)).rejects.toMatchObject({ code: 'AGENT_OPTION_INVALID' });
});

it.each(['https://example.com/ai', 'https://example.com/?x', 'ftp://example.com', 'https://ada:secret@example.com'])(
  'the public address %s is refused, and not repeated',
  async (url) => {
    const refused = originOfMounted(at(url), undefined);
    await expect(refused).rejects.toMatchObject({ code: 'AGENT_OPTION_INVALID' });
    await expect(refused).rejects.not.toThrow('example.com');
  },
);
