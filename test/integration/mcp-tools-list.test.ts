import { describe, expect, it } from 'vitest';
import { toolNames } from '#contracts/mcp';
import { tools } from '#runtime/surfaces/mcp/tools/index';
import { connectMcp } from '../helpers/mcp-client.ts';
import { startShopAgent } from '../helpers/shop-agent.ts';

/** Every conversation pays for the list, before anything is asked. */
const maxBytes = 12_000;

const tables = (count: number) =>
  Array.from({ length: count }, (_, n) => `create table table_with_a_long_name_${n} (id integer primary key);`).join(
    '',
  );

async function listedTools(collections: number, mcpTools?: typeof toolNames) {
  const agent = await startShopAgent(undefined, mcpTools ? { mcpTools } : {}, tables(collections));
  const { tools: listed } = await (await connectMcp(agent)).listTools();
  return { listed, bytes: Buffer.byteLength(JSON.stringify({ tools: listed })) };
}

describe('the list of tools', () => {
  it.each([2, 50, 300])(
    'has at most 12,000 bytes with %i collections and the tools that are on by default',
    async (count) => {
      const { bytes } = await listedTools(count);
      expect(bytes).toBeLessThanOrEqual(maxBytes);
    },
  );

  it('is the same for any number of collections, in one order', async () => {
    const few = await listedTools(0, toolNames);
    const many = await listedTools(300, toolNames);
    expect(many).toEqual(few);
    expect(few.listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  });

  it('says of every tool what it may do, in a short description', async () => {
    const { listed } = await listedTools(0, toolNames);
    for (const { name, description = '', annotations, inputSchema, outputSchema } of listed) {
      expect([name, Object.keys(annotations ?? {}).toSorted()]).toEqual([
        name,
        ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint'],
      ]);
      expect([name, description.length > 20 && description.length < 300]).toEqual([name, true]);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
    }
  });
});
