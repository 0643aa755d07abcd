import { describe, expect, it } from 'vitest';
import type { McpState, McpStateKey } from '#contracts/mcp-authorization';
import { sha256Hex } from '#node/system/digest';
import { createMcpStateRepository } from '#platform/mcp-authorization/mcp-state';
import { listEndedMcpGrants } from '#platform/mcp-grants/ended-grants';
import { provisionIn } from '../../helpers/admin-log.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const key = (kind: McpStateKey['kind'], id: string): McpStateKey => ({ kind, id: sha256Hex(id) });
const state = (payload: Record<string, unknown>, more: Partial<McpState> = {}): McpState => ({
  payload,
  expiresInSeconds: 60,
  ...more,
});

describe.each(useStoreEngines())('the state of MCP authorization on $engine', ({ newPlace }) => {
  async function start() {
    const time = createManualTime();
    const store = await openTestStore(await newPlace());
    const user = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
    const { environment, member } = await provisionIn(store, { project: 'shop', secretHash: 'one', user });
    const other = await provisionIn(store, { project: 'other', secretHash: 'two', user });
    const logged: unknown[] = [];
    const states = createMcpStateRepository(store, time.clock, (_transaction, change) => logged.push(change));
    return { time, store, states, logged, own: environment.id, other: other.environment.id, personId: member.id };
  }

  it('is kept by environment until it expires, and can be replaced', async () => {
    const { time, states, own, other } = await start();
    const client = key('Client', 'a');
    await states.save(own, client, state({ name: 'first' }));
    await states.save(own, client, state({ name: 'second' }, { expiresInSeconds: 90 }));
    expect(await states.find(own, client)).toEqual({ payload: { name: 'second' } });
    expect(await states.find(other, client)).toBeUndefined();
    time.pass(90_000);
    expect(await states.find(own, client)).toBeUndefined();
  });

  it('has one first use, of several at the same time too', async () => {
    const { time, states, own } = await start();
    const code = key('AuthorizationCode', 'a');
    await states.save(own, code, state({}));
    const uses = await Promise.all([1, 2, 3].map(() => states.use(own, code)));
    expect(uses.filter((use) => use?.usedMsAgo === undefined)).toHaveLength(1);
    time.pass(5_000);
    expect(await states.find(own, code)).toEqual({ payload: {}, usedMsAgo: 5_000 });
    expect(await states.use(own, key('AuthorizationCode', 'unknown'))).toBeUndefined();
  });

  it('ends with its grant, which agents learn about for an hour', async () => {
    const { time, store, states, own, personId } = await start();
    const grantId = sha256Hex('grant');
    await states.save(own, key('Grant', 'grant'), state({}, { personId }));
    await states.save(own, key('RefreshToken', 'a'), state({}, { grantId, personId }));
    await states.save(own, key('RefreshToken', 'b'), state({}, { grantId: sha256Hex('other'), personId }));
    await states.remove(own, key('Grant', 'grant'));
    await states.remove(own, key('Grant', 'grant'));
    expect(await states.find(own, key('RefreshToken', 'a'))).toBeUndefined();
    expect(await states.find(own, key('RefreshToken', 'b'))).toBeDefined();
    time.pass(1_000);
    expect(await listEndedMcpGrants(store, own, time.clock.now())).toEqual([{ id: grantId, msAgo: 1_000 }]);
    time.pass(3_600_000);
    expect(await listEndedMcpGrants(store, own, time.clock.now())).toEqual([]);
  });

  it('is logged when a client is let in, and when its grant ends', async () => {
    const { states, logged, own, personId } = await start();
    const client = { client_name: 'Client', redirect_uris: ['https://client.example/'] };
    await states.save(own, key('Client', 'c'), state(client));
    const resources = { 'https://agent.example/mcp': 'mcp:read mcp:delete' };
    await states.save(own, key('Grant', 'g'), state({ resources }, { personId, clientId: sha256Hex('c') }));
    await states.remove(own, key('Grant', 'g'));
    const value = {
      user: { object: 'user', id: personId, email: 'ada@example.test', username: 'Ada Lovelace' },
      client: 'Client',
      redirectUris: ['https://client.example/'],
      scopes: ['mcp:read', 'mcp:delete'],
    };
    expect(logged).toMatchObject([
      {
        type: 'add',
        resource: 'mcp-client',
        environment: 'development',
        author: { user: value.user },
        newValue: value,
      },
      { type: 'remove', resource: 'mcp-client', author: { initiator: 'platform' }, previousValue: value },
    ]);
  });

  it('keeps a client for as long as what the client was given', async () => {
    const { time, states, own } = await start();
    await states.save(own, key('Client', 'a'), state({}));
    await states.save(own, key('Grant', 'g'), state({}, { clientId: sha256Hex('a'), expiresInSeconds: 600 }));
    time.pass(300_000);
    expect(await states.find(own, key('Client', 'a'))).toBeDefined();
  });

  it('has room for a new client while there is one that nobody has let in', { tags: 'long' }, async () => {
    const { time, states, own } = await start();
    const limited = (id: string) => states.save(own, key('Client', id), state({}, { expiresInSeconds: 3600 }));
    await limited('let in');
    await states.save(own, key('Grant', 'g'), state({}, { clientId: sha256Hex('let in'), expiresInSeconds: 3600 }));
    time.pass(1_000);
    for (let count = 1; count < 1_000; count++) {
      await limited(`client ${count}`);
      if (count === 1) time.pass(1_000);
    }
    await limited('new');
    expect(await states.find(own, key('Client', 'let in'))).toBeDefined();
    expect(await states.find(own, key('Client', 'client 1'))).toBeUndefined();
    expect(await states.find(own, key('Client', 'client 2'))).toBeDefined();
  });
});
