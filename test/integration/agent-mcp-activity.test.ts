import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { createMemoryPlatform } from '../helpers/activity-outbox.ts';
import { confirmedCall, errorOf, mcpCall } from '../helpers/mcp-call.ts';
import { call, startShopAgent } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const customize = (agent: Agent) =>
  agent.customizeCollection('orders', (orders) =>
    orders
      .addAction('Ship', { scope: 'Bulk', execute: () => undefined })
      .addAction('Fail', { scope: 'Global', execute: (_context, result) => result.error('no') }),
  );

/** An agent that reports to a platform in memory, from files below `folder`. */
async function setUp(folder: string) {
  const platform = createMemoryPlatform();
  const activity = { platform, serverUrl: 'https://platform.test', folder };
  const agent = await startShopAgent(customize, { activity });
  const reported = async () => {
    await agent.runtime.stop(10_000);
    return platform.stored.map(({ source, action, label = '-', collection, recordIds, fields = [], status }) =>
      [source, action, label, collection, recordIds.join(), fields.join(), status].join(' '),
    );
  };
  return { agent, platform, reported };
}

const orders = { collectionName: 'orders' };
const relation = { collectionName: 'customers', parentRecordId: 1, relationName: 'orders' };

describe('the report of a call', () => {
  it('tells of a write when it is made, and of what comes before as a read', async () => {
    const { agent, reported } = await setUp(await temporaryFolder());
    await mcpCall(agent, 'create', { ...orders, attributes: { ref: 'B-1' } });
    await mcpCall(agent, 'update', { ...orders, recordId: 1, attributes: { status: 'draft', ref: 'A-1' } });
    await mcpCall(agent, 'update', { ...orders, recordId: 1, attributes: { status: 'paid' }, dryRun: true });
    await mcpCall(agent, 'update', { ...orders, recordId: 99, attributes: { status: 'paid' } });
    await confirmedCall(agent, 'delete', { ...orders, recordIds: [2, 2] });
    await mcpCall(agent, 'associate', { ...relation, targetRecordId: 4 });
    await confirmedCall(agent, 'dissociate', { ...relation, targetRecordIds: [4] });
    await confirmedCall(agent, 'executeAction', { ...orders, actionName: 'Ship', recordIds: [1, 3] });
    await confirmedCall(agent, 'executeAction', { ...orders, actionName: 'Fail' });
    expect(await reported()).toMatchInlineSnapshot(`
      [
        "mcp create - orders 5 ref completed",
        "mcp update - orders 1 status completed",
        "mcp read - orders 1  completed",
        "mcp update - orders 99  failed",
        "mcp read - orders 2  completed",
        "mcp delete - orders 2  completed",
        "mcp update associate orders customers 1  completed",
        "mcp update associate orders of customers orders 4  completed",
        "mcp read dissociate orders customers 1  completed",
        "mcp update dissociate orders customers 1  completed",
        "mcp update dissociate orders of customers orders 4  completed",
        "mcp read Ship orders 1,3  completed",
        "mcp action Ship orders 1,3  completed",
        "mcp read Fail orders   completed",
        "mcp action Fail orders   failed",
      ]
    `);
  });

  it('tells of a call that the person has declined as one that failed', async () => {
    const { agent, reported } = await setUp(await temporaryFolder());
    const capabilities = { elicitation: {} };
    const decline = async (name: string, args: Record<string, unknown>) => {
      const { requestState } = (await mcpCall(agent, name, args, { capabilities })).result;
      const reply = { requestState, confirm: { action: 'decline' } };
      return errorOf(await mcpCall(agent, name, args, { capabilities, reply }))['code'];
    };
    const codes = [
      await decline('delete', { ...orders, recordIds: [2, 3] }),
      await decline('executeAction', { ...orders, actionName: 'Ship', recordIds: [1] }),
    ];
    expect(codes).toEqual(['MCP_CONFIRMATION_DECLINED', 'MCP_CONFIRMATION_DECLINED']);
    // An answer to a question that nobody was asked is not one of a person.
    const reply = { requestState: 'forged', confirm: { action: 'decline' } };
    await mcpCall(agent, 'delete', { ...orders, recordIds: [4] }, { capabilities, reply });
    expect(await reported()).toEqual([
      'mcp read - orders 2,3  completed',
      'mcp delete - orders 2,3  failed',
      'mcp read Ship orders 1  completed',
      'mcp action Ship orders 1  failed',
    ]);
  });

  it('holds no value, and no line of its own making', async () => {
    const { agent, platform, reported } = await setUp(await temporaryFolder());
    const secret = 'hunter2';
    await mcpCall(agent, 'create', { collectionName: 'customers', attributes: { name: secret } });
    await mcpCall(agent, 'update', { ...orders, recordId: `1\n{"forged":true}`, attributes: { ref: secret } });
    await mcpCall(agent, 'update', { ...orders, recordId: 'x'.repeat(1_000_000), attributes: { ref: secret } });
    expect(await reported()).toHaveLength(3);
    const text = JSON.stringify(platform.stored);
    expect(text).not.toContain(secret);
    expect(text.length).toBeLessThan(10_000);
  });

  it('is made before a write, which is refused where it cannot be', async () => {
    const folder = await temporaryFolder();
    const { agent, platform } = await setUp(path.join(folder, 'activity'));
    // Files can no longer be made there.
    platform.isDown = true;
    await blockFiles(path.join(folder, 'activity'));
    const refused = await mcpCall(agent, 'create', { ...orders, attributes: { ref: 'B-1' } });
    expect(errorOf(refused)).toMatchObject({ code: 'ACTIVITY_NOT_RECORDED', retryable: true });
    expect((await confirmedCall(agent, 'delete', { ...orders, recordIds: [2] })).result.isError).toBe(true);
    expect((await mcpCall(agent, 'list', orders)).result.isError).toBeUndefined();
    expect((await call(agent, '/orders/count')).json).toEqual({ count: 4 });
  });
});

/** A file in the place of the folder. */
async function blockFiles(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await writeFile(folder, '');
}
