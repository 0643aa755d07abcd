import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import type { PlatformEventListener } from '#platform-client/event-stream-options';
import type { AgentPlatform } from '#runtime/agent/assemble/agent-platform';
import { createSqlDataSource } from '#runtime/index';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, createShopFile, createShopRuntime, startShopAgent } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const permissive = platformOfRole({ rights: { orders: { browseEnabled: true, readEnabled: true } } });
const denying = platformOfRole({ rights: { orders: {} } });
const markAsPaid = (name: string) => ({
  name,
  type: 'action',
  modelName: 'orders',
  configuration: {
    scope: 'Bulk',
    type: 'update-record',
    configuration: { fields: [{ fieldName: 'status', value: 'paid' }] },
  },
});

/** A platform that can announce, be away, and change its mind. */
function livingPlatform() {
  const listeners: PlatformEventListener[] = [];
  const asked: string[] = [];
  const current = { permissions: permissive, customizations: [] as unknown[], isAway: false };
  const answer = <Result>(question: string, result: () => Result): Result => {
    asked.push(question);
    if (!current.isAway) return result();
    throw cloudError('PLATFORM_UNREACHABLE', 'No answer.', 'Wait.');
  };
  const platform = {
    environmentPermissions: async () => answer('environment', () => current.permissions.environmentPermissions()),
    users: async () => answer('users', () => current.permissions.users()),
    renderingPermissions: async (id: number) => answer('rendering', () => current.permissions.renderingPermissions(id)),
    modelCustomizations: async () => answer('customizations', () => current.customizations),
    followEvents: (listener: PlatformEventListener) => {
      asked.push('events');
      listeners.push(listener);
      listener.connected();
      return { close: () => void listeners.splice(listeners.indexOf(listener), 1) };
    },
  } satisfies Partial<AgentPlatform>;
  const announce: PlatformEventListener['received'] = (event) => {
    for (const { received } of listeners) received(event);
  };
  return { platform, current, announce, asked, listeners };
}

describe('the agent of a project', () => {
  it('learns about a change of permissions at once', async () => {
    const { platform, current, announce, listeners } = livingPlatform();
    const agent = await startShopAgent(undefined, { platform });
    expect((await call(agent, '/orders')).status).toBe(200);
    current.permissions = denying;
    announce({ name: 'refresh-roles' });
    expect((await call(agent, '/orders')).status).toBe(403);
    await agent.runtime.stop(0);
    expect(listeners).toEqual([]);
  });

  it('uses the last known permissions while the platform is away', async () => {
    const stateFolder = await temporaryFolder();
    const { platform, current } = livingPlatform();
    const first = await startShopAgent(undefined, { platform, stateFolder });
    expect((await call(first, '/orders')).status).toBe(200);
    await first.runtime.stop(0);
    current.isAway = true;
    const second = await startShopAgent(undefined, { platform, stateFolder });
    expect((await call(second, '/orders')).status).toBe(200);
    const elsewhere = await startShopAgent(undefined, { platform, stateFolder: await temporaryFolder() });
    expect((await call(elsewhere, '/orders')).status).toBe(502);
  });

  it('explains permissions as the platform says now, or not at all', async () => {
    const stateFolder = await temporaryFolder();
    const { platform, current } = livingPlatform();
    const { runtime, ...agent } = await startShopAgent(undefined, { platform, stateFolder });
    expect((await call({ ...agent }, '/orders')).status).toBe(200);
    const question = { user: 'ada@example.test', collection: 'orders' };
    const browse = async () =>
      (await runtime.explainPermissions(question)).rights.find(({ right }) => right === 'browse');
    expect(await browse()).toMatchObject({ isAllowed: true });
    current.permissions = denying;
    expect(await browse()).toMatchObject({ isAllowed: false });
    current.isAway = true;
    await expect(browse()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' });
  });

  it('takes the actions that are made on the platform, and takes them again when they change', async () => {
    const { platform, current, announce } = livingPlatform();
    current.permissions = { ...permissive, environmentPermissions: async () => true };
    current.customizations = [markAsPaid('Mark as paid')];
    const agent = await startShopAgent(undefined, { platform, experimental: { updateRecordCustomActions: true } });
    const connections = agent.runtime.openConnections();
    const run = async (action: string) => {
      const body = { data: { attributes: { ids: ['2'], values: {} } } };
      return (await call(agent, `/_actions/orders/${action}`, { method: 'POST', body })).status;
    };
    expect([await run('0/mark-as-paid'), await run('1/settle')]).toEqual([200, 404]);
    current.customizations = [markAsPaid('Mark as paid'), markAsPaid('Settle')];
    announce({ name: 'refresh-customizations' });
    await expect.poll(() => run('1/settle')).toBe(200);
    expect(agent.runtime.openConnections()).toBe(connections);
  });

  it('takes none of them unless its options say so, as an embedded agent', async () => {
    const { platform, current, asked } = livingPlatform();
    current.customizations = [markAsPaid('Mark as paid')];
    await startShopAgent(undefined, { platform });
    expect(asked).not.toContain('customizations');
  });

  it('asks the platform nothing before it listens', async () => {
    const { platform, asked } = livingPlatform();
    const dataSources = { main: createSqlDataSource(await createShopFile()) };
    const runtime = createShopRuntime({ platform, dataSources });
    await runtime.load(() => undefined);
    await runtime.explain('orders', 'sort=-id');
    expect(asked).toEqual([]);
    await runtime.listen();
    expect(asked).toEqual(['events']);
  });
});
