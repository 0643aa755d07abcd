import { describe, expect, it } from 'vitest';
import type { ClientPermissions } from '#contracts/client-permissions';
import type { ClientRights } from '#contracts/client-rights';
import type { Agent } from '#runtime/customizer/agent';
import { confirmedCall, errorOf, mcpCall } from '../../helpers/mcp-call.ts';
import { message, post } from '../../helpers/mcp-post.ts';
import { platformOfRole } from '../../helpers/role-platform.ts';
import { call, type ShopAgent, startShopAgent } from '../../helpers/shop-agent.ts';

const everything = {
  browseEnabled: true,
  readEnabled: true,
  editEnabled: true,
  addEnabled: true,
  deleteEnabled: true,
  exportEnabled: true,
};

const actionRights = { triggerEnabled: true, approvalRequired: false };

const customize = (agent: Agent) =>
  agent.customizeCollection('orders', (orders) =>
    orders
      .addAction('Ship', { scope: 'Single', execute: async (_context, result) => result.success('Shipped') })
      .addAction('Refund', { scope: 'Single', execute: async (_context, result) => result.success('Refunded') }),
  );

/** An agent whose person may do everything, and whose program what the rights of every other client say. */
async function startAgent(
  rights: ClientRights,
  ofPerson: Partial<Parameters<typeof platformOfRole>[0]> = {},
): Promise<ShopAgent> {
  const permissions: ClientPermissions = { clients: { '*': rights }, grants: [] };
  const names = ['orders', 'customers', 'lines'];
  const platform = {
    ...platformOfRole({
      rights: Object.fromEntries(names.map((name) => [name, everything])),
      actions: { orders: { Ship: actionRights, Refund: actionRights } },
      ...ofPerson,
    }),
    clientPermissions: async () => permissions,
  };
  return startShopAgent(customize, { platform });
}

const reading = { browse: true, read: true };
const forbidden = { code: 'REQUEST_FORBIDDEN' };

describe('a program that acts for a person', () => {
  it('does what its rights say and nothing else, while the person does everything', async () => {
    const agent = await startAgent({
      collections: { orders: { ...reading, edit: true, actions: { Ship: true } }, customers: { browse: true } },
    });
    expect((await mcpCall(agent, 'list', { collectionName: 'orders' })).result.isError).toBeUndefined();
    const refused = [
      await mcpCall(agent, 'list', { collectionName: 'lines' }),
      await mcpCall(agent, 'list', { collectionName: 'orders', fields: ['customer@@@name'] }),
      await mcpCall(agent, 'list', {
        collectionName: 'orders',
        filters: { field: 'customer:name', operator: 'Present' },
      }),
      await mcpCall(agent, 'create', { collectionName: 'orders', attributes: { ref: 'A-9' } }),
      await mcpCall(agent, 'executeAction', { collectionName: 'orders', actionName: 'Refund', recordIds: [1] }),
      await mcpCall(agent, 'getActionForm', { collectionName: 'orders', actionName: 'Refund', recordIds: [1] }),
    ];
    expect(refused.map(errorOf)).toEqual(refused.map(() => expect.objectContaining(forbidden)));
    const update = { collectionName: 'orders', recordId: 1, attributes: { status: 'paid' } };
    expect((await mcpCall(agent, 'update', update)).result.isError).toBeUndefined();
    const ship = { collectionName: 'orders', actionName: 'Ship', recordIds: [1] };
    expect((await confirmedCall(agent, 'executeAction', ship)).result.structuredContent).toMatchObject({
      status: 'success',
    });
    const described = await mcpCall(agent, 'describeCollection', {});
    expect(JSON.stringify(described.result.structuredContent)).not.toContain('lines');
    // The person alone may do what the program may not.
    expect((await call(agent, '/lines')).status).toBe(200);
  });

  it('gets no right that the person does not have', async () => {
    const agent = await startAgent(
      { collections: { '*': { ...reading }, orders: reading, customers: reading } },
      { rights: { orders: { browseEnabled: true } } },
    );
    expect((await mcpCall(agent, 'list', { collectionName: 'orders' })).result.isError).toBeUndefined();
    expect(errorOf(await mcpCall(agent, 'list', { collectionName: 'customers' }))).toMatchObject(forbidden);
  });

  it('sees fields as the stricter of both says', async () => {
    const agent = await startAgent(
      { collections: { orders: { ...reading, fields: { total: false } }, customers: reading } },
      { fields: { orders: { status: { read: 'present', filter: false, write: false } } } },
    );
    const { result } = await mcpCall(agent, 'list', { collectionName: 'orders' });
    const [first] = result.structuredContent['records'] as readonly Record<string, unknown>[];
    expect(first).not.toHaveProperty('total');
    expect(first).toMatchObject({ status: '···' });
    const sorted = await mcpCall(agent, 'list', { collectionName: 'orders', sort: '-total' });
    expect(errorOf(sorted)).toMatchObject({ code: 'REQUEST_FIELD_UNKNOWN' });
    const { json } = await call(agent, '/orders');
    expect(JSON.stringify(json)).toContain('"total"');
  });

  it('calls the tools that it may call, and sees no others', async () => {
    const agent = await startAgent({ tools: ['list', 'describeCollection'] });
    const listed = await post(agent, message('tools/list'));
    const { tools } = JSON.parse(listed.text.slice(listed.text.indexOf('{'))).result as {
      readonly tools: readonly { readonly name: string }[];
    };
    expect(tools.map(({ name }) => name).sort()).toEqual(['describeCollection', 'list']);
    const create = await mcpCall(agent, 'create', { collectionName: 'orders', attributes: { ref: 'A-9' } });
    expect(errorOf(create)).toMatchObject(forbidden);
  });

  it('stays within its records a call and its writes an hour', async () => {
    const agent = await startAgent({ recordsPerCall: 2, writesPerHour: 1 });
    const { result } = await mcpCall(agent, 'list', { collectionName: 'orders' });
    expect(result.structuredContent['records']).toHaveLength(2);
    const large = await mcpCall(agent, 'list', { collectionName: 'orders', pagination: { size: 3 } });
    expect(errorOf(large)).toMatchObject({ code: 'REQUEST_INVALID' });
    const many = await mcpCall(agent, 'delete', { collectionName: 'orders', recordIds: [1, 2, 3] });
    expect(errorOf(many)).toMatchObject({ code: 'REQUEST_INVALID' });
    const update = { collectionName: 'orders', recordId: 1, attributes: { status: 'paid' } };
    expect(errorOf(await mcpCall(agent, 'update', update))).toMatchObject({ code: 'MCP_LIMIT_REACHED' });
  });
});
