import { describe, expect, it, onTestFinished } from 'vitest';
import { peopleSchema } from '#contracts/people';
import type { PermissionFile } from '#contracts/permission-file';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { eventually } from '../helpers/eventually.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

const everything = { browse: true, read: true, edit: true, add: true, delete: true, export: true };
const open: PermissionFile = { roles: { Administrators: { collections: { '*': everything } } } };

/** An agent in an application, its platform, and the client of somebody who may set rights there. */
async function startShop() {
  const shop = await createEmbeddedShop();
  const agent = shop.agent
    .addDataSource(createSqlDataSource(shop.databaseUri))
    .addMask('initials', (value) => String(value).slice(0, 1))
    .mountOnStandaloneServer(0);
  await agent.start();
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const { userToken, userId, renderingId, team, role } = shop.access;
  const client = createPlatformClient({ serverUrl: shop.sandbox.url, http, credentials: { userToken } });
  const identity = { id: userId, renderingId, team, role, email: 'ada@example.test', firstName: 'Ada', lastName: '' };
  const token = await createSessionTokens(shop.authSecret, systemClock, () => false).issue({
    ...identity,
    permissionLevel: 'admin',
    tags: {},
  });
  const list = async (collection: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${agent.standaloneServerPort}/service/${collection}?timezone=UTC`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    const body = (await response.json()) as { data?: readonly unknown[] };
    return response.status === 200 ? body.data?.length : response.status;
  };
  /** Until every agent has carried out all that the platform announced. */
  const allKnow = () =>
    eventually(
      async () => {
        const { agents } = await client.agents();
        expect(agents.map(({ lag }) => lag)).toEqual([0]);
      },
      { interval: 5 },
    );
  const set = async (document: PermissionFile) => {
    const { revision: base } = await client.rights();
    const rights = await client.replaceRights({ document, base, allowLockout: true });
    await allKnow();
    return rights;
  };
  await allKnow();
  return { client, list, set, sandbox: shop.sandbox, userToken };
}

describe('the rights of an environment', () => {
  it('hold in a running agent from its acknowledgement on', async () => {
    const { list, set } = await startShop();
    expect(await list('orders')).toBe(4);
    await set({ roles: { Administrators: { collections: { customers: everything } } } });
    expect(await list('orders')).toBe(403);
    expect(await list('customers')).toBe(2);
    await set(open);
    expect(await list('orders')).toBe(4);
    await set({
      ...open,
      teams: {
        Operations: {
          collections: {
            customers: { scope: { field: 'name', operator: 'equal', value: '{{currentUser.tags.name}}' } },
          },
        },
      },
      people: { 'ADA@example.test': { tags: { name: 'Zed' } } },
    });
    expect(await list('customers')).toBe(1);
    await set({
      ...open,
      roles: { ...open.roles, guests: { collections: {} } },
      people: { 'ada@example.test': { role: 'guests' } },
    });
    expect(await list('customers')).toBe(403);
  });

  it('say from which addresses the data is reached, at once too', async () => {
    const { list, set } = await startShop();
    // A proxy that is not named counts as the client.
    const throughProxy = { 'x-forwarded-for': '192.0.2.1' };
    await set(open);
    expect(await list('orders', throughProxy)).toBe(4);
    await set({ ...open, ipRules: ['192.0.2.1'] });
    expect(await list('orders', throughProxy)).toBe(403);
    await set({ ...open, ipRules: ['192.0.2.1', '127.0.0.1'] });
    expect(await list('orders', throughProxy)).toBe(4);
  });

  it('are replaced by whoever knows the revision that counts, and the others learn what changed', async () => {
    const { client } = await startShop();
    const teams = [{ name: 'Operations', people: 1 }];
    expect(await client.rights()).toEqual({ document: null, revision: 0, teams });
    const guests = { roles: { guests: { collections: { orders: { browse: true } } } } };
    expect(await client.replaceRights({ document: guests, base: 0, allowLockout: true })).toEqual({
      document: guests,
      revision: 1,
      teams,
    });
    // The same again is not a change.
    expect(await client.replaceRights({ document: guests, base: 1 })).toMatchObject({ revision: 1 });
    await expect(client.replaceRights({ document: open, base: 0 })).rejects.toMatchObject({
      code: 'REQUEST_CONFLICT',
      message: expect.stringContaining('+ Role "guests" may browse "orders"'),
    });
    await client.replaceRights({
      document: { roles: { guests: { collections: { orders: { read: true } } } } },
      base: 1,
      allowLockout: true,
    });
    const { changes, nextBefore } = await client.rightsHistory({ limit: 1 });
    expect(changes).toMatchObject([
      {
        revision: 2,
        author: { name: 'Ada', email: 'ada@example.test' },
        removed: ['Role "guests" may browse "orders"'],
        added: ['Role "guests" may read "orders"'],
      },
    ]);
    expect((await client.rightsHistory({ before: nextBefore ?? 0 })).changes).toMatchObject([{ revision: 1 }]);
  });

  it('give a role another name for everybody who has it, in every environment', async () => {
    const { client, list, set, sandbox, userToken } = await startShop();
    await set({ ...open, roles: { ...open.roles, guests: { collections: { orders: { browse: true } } } } });
    const ask = async (method: string, path: string, body?: object, environment = 'production') => {
      const response = await fetch(`${sandbox.url}${path}`, {
        method,
        headers: {
          ...{ authorization: `Bearer ${userToken}`, 'content-type': 'application/json' },
          'service-environment': environment,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return [response.status, await response.json()] as const;
    };
    const { environment } = (await client.me()) as { readonly environment: string };
    const made = await ask('POST', '/api/environments', { name: 'production', type: 'production' }, environment);
    expect(made[0]).toBe(201);
    const production = { ...open, people: { 'eve@example.test': { role: 'Administrators' } } };
    expect((await ask('PUT', '/api/rights', { document: production, base: 0 }))[0]).toBe(200);
    const invitation = { email: 'eve@example.test', level: 'user', roles: ['guests', 'Administrators'] };
    expect((await ask('POST', '/api/invitations', invitation))[0]).toBe(201);

    const { document, revision: base } = await client.rights();
    const { Administrators, ...others } = document?.roles ?? {};
    const renamed = { ...document, roles: { Owners: Administrators ?? { collections: {} }, ...others } };
    const renamedRoles = [{ from: 'Administrators', to: 'Owners' }];
    const checked = await ask('POST', '/api/rights/check', { document: renamed, renamedRoles }, environment);
    expect(checked[1]).toMatchObject({ roles: [], isLockout: false, removed: [], added: [], restrictions: [] });
    // Under its new name, nobody would have it otherwise.
    await expect(client.replaceRights({ document: renamed, base })).rejects.toMatchObject({
      message: expect.stringContaining('No administrator of'),
    });
    await client.replaceRights({ document: renamed, base, renamedRoles });
    await eventually(async () => expect(await list('orders')).toBe(4));

    const people = peopleSchema.parse((await ask('GET', '/api/people'))[1]).people;
    expect(people.map(({ role, roles }) => [role, roles.map(({ name }) => name)])).toEqual([['Owners', ['Owners']]]);
    expect((await ask('GET', '/api/invitations'))[1]).toMatchObject({ invitations: [{ roles: ['guests', 'Owners'] }] });
    expect((await ask('GET', '/api/rights'))[1]).toMatchObject({
      revision: 2,
      document: { roles: { Owners: Administrators }, people: { 'eve@example.test': { role: 'Owners' } } },
    });
    expect((await ask('GET', '/api/roles'))[1]).toEqual({
      roles: expect.not.arrayContaining([expect.objectContaining({ name: 'Administrators' })]),
    });
    const again = {
      document: { ...renamed, roles: { ...renamed.roles, guests: { collections: {} } } },
      base: base + 1,
    };
    for (const [from, to] of [
      ['guests', 'Owners'],
      ['nobody', 'guests'],
      ['guests', 'visitors'],
    ] as const) {
      await expect(client.replaceRights({ ...again, renamedRoles: [{ from, to }] })).rejects.toMatchObject({
        code: 'REQUEST_CONFLICT',
      });
    }
    expect((await client.rights()).revision).toBe(base + 1);
  });

  it('leave an administrator who may browse, whichever client sends them', async () => {
    const { client, sandbox, userToken } = await startShop();
    const put = async (document: PermissionFile | null, more = {}) => {
      const { revision: base } = await client.rights();
      const response = await fetch(`${sandbox.url}/api/rights`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${userToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ document, base, ...more }),
      });
      return { status: response.status, text: await response.text() };
    };
    const browse = { collections: { orders: { browse: true } } };
    const locking: readonly PermissionFile[] = [
      { roles: {} },
      { roles: { Administrators: { collections: {} } } },
      { roles: { Administrators: { collections: { '*': { ...everything, browse: false } } } } },
      { roles: { administrators: browse } },
      { roles: { Administrators: browse }, teams: { Support: {} } },
      {
        roles: { Administrators: browse, guests: { collections: {} } },
        people: { 'ADA@example.test': { role: 'guests' } },
      },
    ];
    for (const document of locking) {
      expect((await client.checkRights(document)).isLockout, JSON.stringify(document)).toBe(true);
      const { status, text } = await put(document);
      expect([status, text.includes('ADMINISTRATORS_LOCKED_OUT')], JSON.stringify(document)).toEqual([409, true]);
    }
    expect((await put({ roles: { administrators: browse } })).text).toContain('Did you mean');
    expect(await client.rights()).toMatchObject({ document: null, revision: 0 });
    expect(await client.checkRights({ roles: { guests: browse }, teams: { Support: {} } })).toEqual({
      roles: [{ name: 'Administrators', people: 1 }],
      teams: [{ name: 'Operations', people: 1 }],
      isLockout: true,
    });
    const keeping: readonly (PermissionFile | null)[] = [
      { roles: { Administrators: browse }, teams: { Operations: {} } },
      { roles: { guests: browse }, people: { 'ADA@example.test': { role: 'guests' } } },
      null,
    ];
    for (const document of keeping) expect((await put(document)).status, JSON.stringify(document)).toBe(200);
    expect((await put({ roles: {} }, { allowLockout: true })).status).toBe(200);
  });

  it('tell what a draft would change, and what the schema does not have, before anybody sets it', async () => {
    const { call } = await startTeamPlatform();
    const browse = { collections: { orders: { browse: true } } };
    const now = { roles: { Administrators: browse } };
    expect((await call('PUT', '/api/rights', { document: now, base: 0, allowUnknown: true })).status).toBe(200);
    const document = { roles: { Administrators: browse, Support: browse } };
    expect((await call('POST', '/api/rights/check', { document })).body).toEqual({
      restrictions: [],
      roles: [],
      teams: [],
      isLockout: false,
      revision: 1,
      removed: [],
      added: ['Role "Support" may browse "orders"'],
      problems: [],
    });
    expect((await call('POST', '/api/rights/check', { document: null })).body).toMatchObject({
      removed: ['Role "Administrators" may browse "orders"'],
      added: [],
    });
    expect((await call('GET', '/api/rights')).body).toMatchObject({ revision: 1 });
  });

  it('tell which names of a draft the schema does not have', async () => {
    const { sandbox, userToken } = await startShop();
    const check = async (document: unknown) => {
      const response = await fetch(`${sandbox.url}/api/rights/check`, {
        method: 'POST',
        headers: { authorization: `Bearer ${userToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ document }),
      });
      return { status: response.status, body: (await response.json()) as unknown };
    };
    const misspelt = { roles: { Administrators: { collections: { order: { browse: true } } } } };
    expect((await check(misspelt)).body).toMatchObject({
      problems: [expect.stringMatching(/order.*Did you mean "orders"/)],
    });
    expect((await check({ roles: { Administrators: { collection: {} } } })).status).toBe(400);
  });

  it('keep an administrator who may browse when people change', async () => {
    const platform = await startTeamPlatform();
    const { call } = platform;
    const browse = { collections: { orders: { browse: true } } };
    const document = {
      roles: { Administrators: browse, support: { collections: {} } },
      teams: { Operations: {}, Own: {} },
    };
    expect((await call('PUT', '/api/rights', { document, base: 0, allowUnknown: true })).status).toBe(200);
    const { people } = peopleSchema.parse((await call('GET', '/api/people')).body);
    const ada = people[0]?.id;
    const bob = await platform.join('bob@example.test', { role: 'support', level: 'admin' });
    const change = async (id: number | undefined, body: object) =>
      (await call('PATCH', `/api/people/${id}`, body)).status;
    // Bob administers the project, and may browse nothing.
    for (const body of [{ role: 'support' }, { team: 'Own' }, { level: 'user' }, { isActive: false }]) {
      const isKept = 'team' in body ? 200 : 409;
      expect(await change(ada, body), JSON.stringify(body)).toBe(isKept);
    }
    expect(await change(ada, { team: 'Operations' })).toBe(200);
    expect(await change(bob, { role: 'Administrators' })).toBe(200);
    expect(await change(ada, { role: 'support' })).toBe(200);
    expect(await change(bob, { role: 'support' })).toBe(409);
    expect(await change(bob, { role: 'support', allowLockout: true })).toBe(200);
    // What is so already keeps nobody from other changes.
    expect(await change(ada, { team: 'Own' })).toBe(200);
    expect(await change(ada, { allowLockout: true })).toBe(400);
  });

  it('name what the schema has, unless unknown names are allowed', async () => {
    const { client } = await startShop();
    const document = { roles: { guests: { collections: { ordres: { browse: true } } } } };
    await expect(client.replaceRights({ document, base: 0 })).rejects.toMatchObject({
      code: 'PERMISSION_FILE_INVALID',
      message: expect.stringContaining(
        'roles.guests.collections.ordres: There is no collection "ordres". Did you mean "orders"?',
      ),
    });
    await expect(
      client.replaceRights({ document, base: 0, allowUnknown: true, allowLockout: true }),
    ).resolves.toMatchObject({
      revision: 1,
    });
  });

  it('name masks of the code', async () => {
    const { client } = await startShop();
    const setWith = (read: string) => {
      const orders = { browse: true, fields: { ref: { read } } };
      return client.replaceRights({
        document: { roles: { guests: { collections: { orders } } } },
        base: 0,
        allowLockout: true,
      });
    };
    await expect(setWith('initals')).rejects.toMatchObject({
      code: 'PERMISSION_FILE_INVALID',
      message: expect.stringContaining(
        'roles.guests.collections.orders.fields.ref.read: There is no mask "initals". Did you mean "initials"?',
      ),
    });
    await expect(setWith('initials')).resolves.toMatchObject({ revision: 1 });
  });

  it('are refused to whoever sends no token, and with parameters that are not known', async () => {
    const { sandbox, userToken } = await startShop();
    expect((await fetch(`${sandbox.url}/api/rights`)).status).toBe(401);
    const headers = { authorization: `Bearer ${userToken}`, 'content-type': 'application/json' };
    const put = (body: unknown) =>
      fetch(`${sandbox.url}/api/rights`, { method: 'PUT', headers, body: JSON.stringify(body) });
    expect((await put({ document: open, base: 0, force: true })).status).toBe(400);
    expect((await put({ document: { roles: {}, extra: 1 }, base: 0 })).status).toBe(422);
    expect((await fetch(`${sandbox.url}/api/rights/history?page=2`, { headers })).status).toBe(400);
  });
});
