import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#node/system/digest';
import { document, type Person, startApprovalShop } from '../helpers/approval-shop.ts';
import { openConsoleBrowser, signInToConsole } from '../helpers/console-browser.ts';
import { eventually } from '../helpers/eventually.ts';

const codeVerifier = 'v'.repeat(43);
const codeChallenge = Buffer.from(sha256Hex(codeVerifier), 'hex').toString('base64url');
const { Support, ...others } = document.roles;
/** Support sees drafts, and no totals. The administrator sees everything. */
const rights = {
  roles: {
    ...others,
    Support: {
      collections: {
        orders: { ...Support.collections.orders, edit: true, fields: { total: false } },
      },
    },
  },
};

async function startWithBob() {
  const started = await startApprovalShop();
  await started.setRights(rights);
  const bob = await started.join('Bob', 'Support');
  const { sandbox, access } = started.shop;
  const ada: Person = { id: access.userId, userToken: access.userToken, agentToken: '' };
  const browserOf = async ({ userToken: token }: Person) => {
    const browser = openConsoleBrowser(sandbox);
    await signInToConsole(browser, sandbox, { token });
    return browser;
  };
  const browser = await browserOf(ada);
  const start = async (personId: number, by = browser) => {
    const answer = await by.ask('POST', '/api/impersonations', { personId });
    return { status: answer.status, ...((await answer.json()) as { id: string; expiresAt: string }) };
  };
  const as = (id: string, method: string, path: string, body?: unknown, by = browser) =>
    by.ask(method, path, body, { 'service-impersonation': id });
  return { ...started, bob, ada, browser, browserOf, start, as };
}

const orders = '/console/agent/development/orders';
const codeOf = async (answer: Response) => ((await answer.json()) as { errors: { code: string }[] }).errors[0]?.code;
const firstOf = async (answer: Response) =>
  ((await answer.json()) as { data: { attributes: object }[] }).data[0]?.attributes ?? {};

describe('an administrator who sees the console as somebody else', () => {
  it('gets the records and fields of that person, and their own again without the header', async () => {
    const { bob, browser, start, as } = await startWithBob();
    const { status, id } = await start(bob.id);
    expect(status).toBe(201);
    expect(await firstOf(await browser.ask('GET', `${orders}?timezone=UTC`))).toHaveProperty('total');
    const seen = await firstOf(await as(id, 'GET', `${orders}?timezone=UTC`));
    expect(seen).toHaveProperty('status');
    expect(seen).not.toHaveProperty('total');
    expect(await (await as(id, 'GET', '/api/me')).json()).toMatchObject({
      user: { id: bob.id },
      role: 'Support',
      deeds: [],
      impersonation: { by: expect.any(Number), expiresAt: expect.any(String) },
    });
    expect(await (await browser.ask('GET', '/api/me')).json()).not.toHaveProperty('impersonation');
    expect(await firstOf(await browser.ask('GET', `${orders}?timezone=UTC`))).toHaveProperty('total');
  });

  it('writes nothing at the agent, and asks nothing else of the platform', async () => {
    const { bob, start, as, client } = await startWithBob();
    const { id } = await start(bob.id);
    const change = { data: { type: 'orders', id: '1', attributes: { status: 'paid' } } };
    const writes = [
      ['PUT', `${orders}/1?timezone=UTC`, change],
      ['DELETE', `${orders}/1?timezone=UTC`, undefined],
      ['POST', `${orders}?timezone=UTC`, change],
      ['POST', '/console/agent/development/_actions/orders/0/ship?timezone=UTC', { data: { attributes: {} } }],
      ['POST', '/console/agent/development/_internal/approvals?timezone=UTC', {}],
      ['POST', '/console/agent/development/_internal/approvals/1/grant?timezone=UTC', {}],
    ] as const;
    for (const [method, path, body] of writes) {
      const answer = await as(id, method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, 403]);
      expect(await answer.text()).toContain('You see what bob@example.test sees, and change nothing.');
    }
    const { revision } = await client.rights();
    const refused = [
      ['GET', '/api/people', undefined],
      ['GET', '/api/rights', undefined],
      ['PUT', '/api/rights', { document: rights, base: revision }],
      ['PATCH', '/api/me/preferences', { preferences: {} }],
      ['GET', '/api/sessions', undefined],
      ['POST', '/api/impersonations', { personId: bob.id }],
      ['DELETE', `/api/impersonations/${id}`, undefined],
    ] as const;
    for (const [method, path, body] of refused) {
      const answer = await as(id, method, path, body);
      expect([path, answer.status, await codeOf(answer)]).toEqual([path, 403, 'IMPERSONATION_READS_ONLY']);
    }
    expect((await client.rights()).revision).toBe(revision);
  });

  it('reads the lists of requests and views of that person', async () => {
    const { bob, ask, start, as } = await startWithBob();
    const asked = await ask(bob, ['1']);
    const { id } = await start(bob.id);
    const { approvals } = (await (await as(id, 'GET', '/api/approvals')).json()) as { approvals: { id: number }[] };
    expect(approvals.map((approval) => approval.id)).toEqual([asked]);
    expect((await as(id, 'GET', '/api/views')).status).toBe(200);
  });

  it('is in the logs of acts and of changes with their own name', async () => {
    const { bob, browser, start, as } = await startWithBob();
    const { id, expiresAt } = await start(bob.id);
    expect((await as(id, 'GET', `${orders}?timezone=UTC`)).status).toBe(200);
    const newest = async (log: string, expand = 'source'): Promise<unknown> => {
      const answer = await browser.ask('GET', `/console/v1/project/shop/${log}?include=all&expand=${expand}`);
      return ((await answer.json()) as { data: unknown[] }).data[0];
    };
    await eventually(async () =>
      expect(await newest('environment/development/activity-logs')).toMatchObject({
        user: { email: 'ada@example.test' },
        client: { id: `impersonation-${bob.id}`, name: 'Console, as bob@example.test' },
      }),
    );
    expect((await as(id, 'DELETE', `${orders}/1?timezone=UTC`)).status).toBe(403);
    await eventually(async () =>
      expect(await newest('environment/development/activity-logs', 'source,status')).toMatchObject({
        user: { email: 'ada@example.test' },
        client: { id: `impersonation-${bob.id}` },
        action: 'delete',
        status: 'failed',
      }),
    );
    expect(await newest('admin-logs')).toMatchObject({
      type: 'add',
      resource: 'impersonation',
      user: { email: 'ada@example.test' },
      newValue: { user: { email: 'bob@example.test' }, expiresAt },
    });
  });
});

describe('an impersonation', () => {
  it('is for administrators, for others, for active members, and for browsers', async () => {
    const { bob, ada, browserOf, start, shop } = await startWithBob();
    expect((await start(ada.id)).status).toBe(400);
    expect((await start(9_999)).status).toBe(404);
    expect((await start(ada.id, await browserOf(bob))).status).toBe(403);
    const byToken = await fetch(`${shop.sandbox.url}/api/impersonations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.userToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ personId: bob.id }),
    });
    expect(byToken.status).toBe(403);
  });

  it('counts in the browser session that began it, and nowhere else', async () => {
    const { bob, ada, browserOf, start, as } = await startWithBob();
    const { id } = await start(bob.id);
    const beside = await browserOf(ada);
    expect(await codeOf(await as(id, 'GET', '/api/me', undefined, beside))).toBe('IMPERSONATION_ENDED');
    expect(await codeOf(await as('0'.repeat(64), 'GET', '/api/me'))).toBe('IMPERSONATION_ENDED');
    expect(await codeOf(await as(id, 'GET', '/api/me', undefined, await browserOf(bob)))).toBe('IMPERSONATION_ENDED');
  });

  it('ends when somebody ends it, after an hour, and with the access of the person', async () => {
    const { bob, shop, browser, start, as, pass } = await startWithBob();
    const ended = await start(bob.id);
    expect((await browser.ask('DELETE', `/api/impersonations/${ended.id}`)).status).toBe(204);
    expect(await codeOf(await as(ended.id, 'GET', '/api/me'))).toBe('IMPERSONATION_ENDED');
    const late = await start(bob.id);
    pass(59 * 60_000);
    expect((await as(late.id, 'GET', '/api/me')).status).toBe(200);
    pass(60_000);
    expect(await codeOf(await as(late.id, 'GET', `${orders}?timezone=UTC`))).toBe('IMPERSONATION_ENDED');
    const last = await start(bob.id);
    const deactivated = await browser.ask('PATCH', `/api/people/${bob.id}`, { isActive: false });
    expect([deactivated.status, shop.sandbox.url]).toEqual([200, expect.any(String)]);
    expect(await codeOf(await as(last.id, 'GET', '/api/me'))).toBe('IMPERSONATION_ENDED');
  });

  it('gives a page of its own agent a token that only reads, and that ends with the level of the administrator', async () => {
    const { bob, shop, start, as, browserOf, join, setRole } = await startWithBob();
    const eve = await join('Eve', 'Administrators');
    const level = await (await browserOf({ ...eve, userToken: shop.access.userToken })).ask(
      'PATCH',
      `/api/people/${eve.id}`,
      { level: 'admin' },
    );
    expect(level.status).toBe(200);
    const browser = await browserOf(eve);
    const { id } = await start(bob.id, browser);
    const made = await as(id, 'POST', '/api/agent-codes', { codeChallenge }, browser);
    const { code } = (await made.json()) as { code: string };
    const agent = `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`;
    const answer = await fetch(`${agent}/authentication/exchange`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, codeVerifier }),
    });
    const { token } = (await answer.json()) as { token: string };
    expect(decodeJwt(token)).toMatchObject({ id: bob.id, readOnly: true, impersonator: { id: eve.id } });
    const status = async (method: string) =>
      (await fetch(`${agent}/orders/1?timezone=UTC`, { method, headers: { authorization: `Bearer ${token}` } })).status;
    expect([await status('GET'), await status('DELETE')]).toEqual([200, 403]);
    await setRole(eve.id, 'Administrators');
    await eventually(async () => expect(await status('GET')).toBe(401));
    expect(await codeOf(await as(id, 'GET', '/api/me', undefined, browser))).toBe('IMPERSONATION_ENDED');
  });
});
