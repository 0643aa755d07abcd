import { describe, expect, it } from 'vitest';
import { toolNames } from '#contracts/mcp';
import { connectMcp } from '../helpers/mcp-client.ts';
import { platformOfRole } from '../helpers/role-platform.ts';
import { startShopAgent } from '../helpers/shop-agent.ts';

const mcpTools = toolNames;

const textOf = ({ contents }: { contents: readonly object[] }) => {
  const [content] = contents as [{ text: string }];
  return JSON.parse(content.text);
};

describe('records as resources', () => {
  it('are read by their address, each part of the key as it is', async () => {
    const client = await connectMcp(await startShopAgent(undefined, { mcpTools }));
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'vendor-cloud://{collection}/{id}' }]);
    expect(await client.listResources()).toMatchObject({ resources: [] });
    const order = await client.readResource({ uri: 'vendor-cloud://orders/1' });
    expect(order.contents).toMatchObject([{ uri: 'vendor-cloud://orders/1', mimeType: 'application/json' }]);
    expect(textOf(order)).toMatchObject({ id: 1, ref: 'A-1', total: '10.50' });
    const line = { order_id: 4, sku: 'a|b', quantity: 1 };
    expect(textOf(await client.readResource({ uri: 'vendor-cloud://lines/4/a%7Cb' }))).toEqual(line);
    const odd = `vendor-cloud://${encodeURIComponent('a b/ç')}/1`;
    expect(textOf(await client.readResource({ uri: odd }))).toEqual({ id: 1, label: 'odd' });
  });

  it('are not found at other addresses', async () => {
    const client = await connectMcp(await startShopAgent(undefined, { mcpTools }));
    const addresses = [
      'vendor-cloud://orders/99',
      'vendor-cloud://nothing/1',
      'vendor-cloud://orders',
      'vendor-cloud://orders/1?x=1',
      'vendor-cloud://orders/%',
      'file:///etc/passwd',
    ];
    for (const uri of addresses) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602, data: { uri } });
    }
  });

  it('are within the rights and the scope of the caller', async () => {
    const reading = { browseEnabled: true, readEnabled: true };
    const scopes = { orders: { field: 'status', operator: 'equal', value: 'paid' } };
    const platform = platformOfRole({ rights: { orders: reading, customers: {} }, scopes });
    const client = await connectMcp(await startShopAgent(undefined, { mcpTools, platform }));
    expect(textOf(await client.readResource({ uri: 'vendor-cloud://orders/1' }))).toMatchObject({ id: 1 });
    await expect(client.readResource({ uri: 'vendor-cloud://orders/2' })).rejects.toMatchObject({
      message: expect.stringContaining('not found'),
    });
    await expect(client.readResource({ uri: 'vendor-cloud://customers/1' })).rejects.toMatchObject({
      code: -32602,
      data: { code: 'REQUEST_FORBIDDEN' },
    });
  });

  it('are there only where their tool is on', async () => {
    const off = await connectMcp(await startShopAgent(undefined, { mcpTools: ['list'] }));
    expect(off.getServerCapabilities()).toEqual({ tools: {} });
    const on = await connectMcp(await startShopAgent(undefined, { mcpTools: ['getRecord'] }));
    expect(on.getServerCapabilities()).toEqual({ tools: {}, resources: {} });
  });
});
