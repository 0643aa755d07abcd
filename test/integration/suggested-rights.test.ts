import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Activity, ActivityAction } from '#contracts/activity';
import type { PermissionFile } from '#contracts/permission-file';
import { type RefusedByRights, type RightsWatch, suggestedRightsSchema } from '#contracts/rights';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { schemaCollection, schemaDocument } from '../helpers/schema-document.ts';
import { useStoreEngines } from '../helpers/store-engines.ts';
import { startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';

const engines = useStoreEngines();
const dayMs = 24 * 3600 * 1000;
const everything = { browse: true, read: true, edit: true, add: true, delete: true, export: true };
const document: PermissionFile = {
  roles: {
    Administrators: { collections: { '*': everything } },
    Support: {
      collections: {
        '*': { browse: true, read: true, export: true },
        orders: {
          ...everything,
          scope: { field: 'status', operator: 'present' },
          fields: { total: { write: false } },
          actions: { Refund: { trigger: true, approve: true }, Ship: { trigger: true }, Burn: { trigger: true } },
        },
      },
    },
    Nobody: { collections: { orders: everything } },
  },
};

function movedClock() {
  let passedMs = 0;
  const clock = { now: () => Date.now() + passedMs, monotonicMs: () => performance.now() };
  const pass = (ms: number) => {
    passedMs += ms;
  };
  return { clock, pass };
}

async function report(
  platform: TeamPlatform,
  userId: number,
  acts: readonly (readonly [ActivityAction, string, string?])[],
  more: Partial<Activity> = {},
) {
  const activities = acts.map(
    ([action, collection, label]): Activity => ({
      id: randomUUID(),
      occurredAt: new Date().toISOString(),
      durationMs: 1,
      type: ['create', 'update', 'delete', 'action'].includes(action) ? 'write' : 'read',
      action,
      ...(label === undefined ? {} : { label }),
      collection,
      recordIds: [],
      recordCount: null,
      source: 'rest',
      user: { id: userId, email: 'somebody@example.test', name: 'Somebody', team: 'Operations', role: 'Support' },
      renderingId: 1,
      correlationId: 'c',
      status: action === 'delete' ? 'failed' : 'completed',
      ...more,
    }),
  );
  const answer = await fetch(`${platform.url}/agent/v1/activities`, {
    method: 'POST',
    headers: { 'service-secret-key': platform.envSecret, 'content-type': 'application/json' },
    body: JSON.stringify({ activities }),
  });
  expect(answer.status).toBe(204);
}

describe.each(engines)('the least rights that were used, on $engine', ({ newPlace }) => {
  it('are those that somebody of the role used; what the log does not tell stays', async () => {
    const { clock, pass } = movedClock();
    const platform = await startTeamPlatform({ store: await newPlace(), clock });
    const set = await platform.call('PUT', '/api/rights', { document, base: 0, allowUnknown: true });
    expect([set.status, set.detail]).toEqual([200, '']);
    const bob = await platform.join('bob@example.test', { role: 'Support', level: 'user' });
    await report(platform, bob, [['index', 'orders']]);
    pass(7 * dayMs + 1);
    await report(platform, bob, [
      ['index', 'orders'],
      ['update', 'orders'],
      ['delete', 'orders'],
      ['action', 'orders', 'Ship'],
      ['search', 'customers'],
    ]);
    const { status, body } = await platform.call('GET', '/api/rights/suggestion?days=7');
    expect(status).toBe(200);
    expect(body).toMatchObject({ acts: 4, people: 1 });
    const { roles } = (body as { readonly document: PermissionFile }).document;
    expect(roles).toEqual({
      Administrators: { collections: { '*': everything } },
      Support: {
        collections: {
          customers: { browse: true, read: true },
          orders: {
            browse: true,
            read: true,
            edit: true,
            scope: { field: 'status', operator: 'present' },
            fields: { total: { write: false } },
            actions: { Ship: { trigger: true }, Refund: { approve: true } },
          },
        },
      },
      Nobody: { collections: { orders: everything } },
    });
    expect((body as { readonly removed: readonly string[] }).removed).toEqual(
      expect.arrayContaining(['Role "Support" may delete "orders"', 'Role "Support" may trigger "Burn" of "orders"']),
    );
  });

  it('take nothing away that was set, or whose log began, less than a week ago', async () => {
    const { clock, pass } = movedClock();
    const platform = await startTeamPlatform({ store: await newPlace(), clock });
    const suggestion = async () =>
      suggestedRightsSchema.parse((await platform.call('GET', '/api/rights/suggestion')).body);
    await platform.call('PUT', '/api/rights', { document, base: 0, allowUnknown: true });
    const bob = await platform.join('bob@example.test', { role: 'Support', level: 'user' });
    pass(6 * dayMs);
    await report(platform, bob, [['index', 'orders']]);
    const early = await suggestion();
    expect([early.removed, early.document]).toEqual([[], document]);
    expect(early.unjudged.map(({ sentence }) => sentence)).toContain('Role "Support" may delete "orders"');
    pass(2 * dayMs);
    // The rights are old enough, and the log is not.
    expect((await suggestion()).removed).toEqual([]);
    pass(5 * dayMs);
    expect((await suggestion()).removed).toContain('Role "Support" may delete "orders"');

    // What is given again is new, whatever was there before.
    const { orders, ...others } = document.roles['Support']?.collections ?? {};
    const without = { ...document.roles, Support: { collections: others } };
    await platform.call('PUT', '/api/rights', { document: { roles: without }, base: 1, allowUnknown: true });
    await platform.call('PUT', '/api/rights', { document, base: 2, allowUnknown: true });
    const setAt = new Date(clock.now()).toISOString().slice(0, 16);
    const again = await suggestion();
    expect(again.removed).not.toContain('Role "Support" may delete "orders"');
    const told = again.unjudged.find(({ sentence }) => sentence === 'Role "Support" may delete "orders"');
    expect(told?.setAt?.slice(0, 16)).toBe(setAt);
    const kept = again.document?.roles['Support']?.collections['orders'];
    expect(kept).toMatchObject({ delete: true, actions: orders?.actions });
  });

  it('are those of the days that are asked for, and need the right to read rights and logs', async () => {
    const { clock, pass } = movedClock();
    const platform = await startTeamPlatform({ store: await newPlace(), clock });
    expect((await platform.call('GET', '/api/rights/suggestion')).body).toMatchObject({ document: null, removed: [] });
    await platform.call('PUT', '/api/rights', { document, base: 0, allowUnknown: true });
    const bob = await platform.join('bob@example.test', { role: 'Support', level: 'user' });
    await report(platform, bob, [['index', 'orders']]);
    pass(2 * dayMs);
    expect((await platform.call('GET', '/api/rights/suggestion?days=1')).body).toMatchObject({ acts: 0, removed: [] });
    expect((await platform.call('GET', '/api/rights/suggestion?days=3')).body).toMatchObject({ acts: 1 });
    expect((await platform.call('GET', '/api/rights/suggestion?days=0')).status).toBe(400);
  });
});

describe.each(engines)('what rights would have refused, on $engine', ({ newPlace }) => {
  const stricter: PermissionFile = {
    roles: {
      Administrators: { collections: { '*': everything } },
      Support: {
        collections: {
          orders: {
            browse: true,
            edit: true,
            fields: { total: { write: false } },
            actions: { Ship: { trigger: true } },
          },
        },
      },
    },
    clients: { reporting: { collections: { orders: { browse: true } } } },
  };

  it('names person and act, how often it was done and when last', async () => {
    const platform = await startTeamPlatform({ store: await newPlace() });
    await platform.call('PUT', '/api/rights', { document, base: 0, allowUnknown: true });
    const bob = await platform.join('bob@example.test', { role: 'Support', level: 'user' });
    await report(platform, bob, [
      ['index', 'orders'],
      ['index', 'customers'],
      ['search', 'customers'],
      ['delete', 'customers'],
      ['action', 'orders', 'Ship'],
      ['action', 'orders', 'Refund'],
    ]);
    await report(platform, bob, [['update', 'orders']], { fields: ['status', 'total'] });
    await report(platform, bob, [['index', 'orders']], { client: { id: 'reporting', name: 'Reporting' } });
    await report(platform, bob, [['update', 'orders']], { client: { id: 'reporting', name: 'Reporting' } });
    await report(platform, bob, [['index', 'orders']], { client: { id: 'other', name: 'Other' } });
    const { status, body } = await platform.call('POST', '/api/rights/refusals', { document: stricter, days: 1 });
    expect(status).toBe(200);
    const { refusals, acts, more } = body as RefusedByRights;
    expect([acts, more]).toEqual([9, 0]);
    const told = refusals.map(({ person, client, because, acts: times }) => [person.email, client, because, times]);
    expect(told.sort()).toEqual(
      [
        ['bob@example.test', null, 'may not browse "customers"', 1],
        ['bob@example.test', null, 'may not browse "customers"', 1],
        ['bob@example.test', null, 'may not trigger "Refund" of "orders"', 1],
        ['bob@example.test', null, 'may not write "total" of "orders"', 1],
        ['bob@example.test', 'reporting', 'the program may not edit in "orders"', 1],
        ['bob@example.test', 'other', 'the program may do nothing', 1],
      ].sort(),
    );
    expect(Date.parse(refusals[0]?.lastAt ?? '')).toBeGreaterThan(0);
  });

  it('is watched from now on, and refuses nothing', async () => {
    let passedMs = 0;
    const clock = { now: () => Date.now() + passedMs, monotonicMs: () => performance.now() };
    const platform = await startTeamPlatform({ store: await newPlace(), clock });
    const watch = async (as?: string) => {
      const { body, status } = await platform.call('GET', '/api/rights/watch', undefined, as);
      return status === 200 ? (body as RightsWatch).watch : status;
    };
    const logged = async () => {
      const address = '/v1/project/shop/admin-logs?resource=rights-watch&include=all&order=asc';
      const { body } = await platform.call('GET', address);
      return (body as { readonly data: readonly { readonly type: string }[] }).data.map(({ type }) => type);
    };
    await platform.call('PUT', '/api/rights', { document, base: 0, allowUnknown: true });
    const bob = await platform.join('bob@example.test', { role: 'Support', level: 'user' });
    await report(platform, bob, [['index', 'customers']]);
    expect(await watch()).toBeNull();
    const unnamed = { document: { roles: { Support: { collections: { ordres: { browse: 'yes' } } } } } };
    expect((await platform.call('PUT', '/api/rights/watch', unnamed)).status).toBe(422);
    passedMs = 1_000;
    const started = await platform.call('PUT', '/api/rights/watch', { document: stricter });
    expect([started.status, started.detail]).toEqual([200, '']);
    passedMs = 2_000;
    await report(platform, bob, [
      ['index', 'customers'],
      ['index', 'customers'],
      ['index', 'orders'],
    ]);
    const found = await watch();
    expect(found).toMatchObject({
      document: stricter,
      startedBy: { email: 'ada@example.test' },
      revision: { atStart: 1, now: 1 },
      isSchemaChanged: false,
      problems: [],
      refused: { acts: 3, refusals: [{ acts: 2, because: 'may not browse "customers"' }], more: 0 },
    });
    await platform.call('PUT', '/api/rights', {
      document: { ...document, teams: { Operations: {} } },
      base: 1,
      allowUnknown: true,
    });
    expect(await watch()).toMatchObject({ revision: { atStart: 1, now: 2 } });
    // Whoever may not set rights neither sees nor ends it.
    const { envSecret, sandbox } = platform;
    const carl = { name: 'Carl', email: 'carl@example.test' };
    const { userToken: token, userId } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user: carl });
    await platform.call('PATCH', `/api/people/${userId}`, { level: 'developer' });
    expect(await watch(token)).toBe(403);
    expect((await platform.call('DELETE', '/api/rights/watch', undefined, token)).status).toBe(403);
    const again = { document: { ...stricter, teams: { Operations: {} } } };
    expect((await platform.call('PUT', '/api/rights/watch', again)).status).toBe(200);
    expect((await platform.call('DELETE', '/api/rights/watch')).status).toBe(204);
    expect((await platform.call('DELETE', '/api/rights/watch')).status).toBe(204);
    expect(await watch()).toBeNull();
    await platform.call('PUT', '/api/rights/watch', { document: stricter });
    // Rights that count now need no watch any more.
    const applied = await platform.call('PUT', '/api/rights', { document: stricter, base: 2, allowLockout: true });
    expect(applied.status).toBe(200);
    expect(await watch()).toBeNull();
    expect(await logged()).toEqual(['add', 'update', 'remove', 'add', 'remove']);
  });

  it('is watched with names that the schema has, and says which of them it has lost since', async () => {
    const platform = await startTeamPlatform({ store: await newPlace() });
    const { url: serverUrl, envSecret, call } = platform;
    const http = createHttp({ clock: systemClock, random: systemRandom });
    onTestFinished(() => http.close());
    const agent = createPlatformClient({ serverUrl, http, credentials: { envSecret } });
    const stricter = { roles: { Administrators: { collections: { orders: { browse: true } } } } };
    await agent.uploadSchema(schemaDocument([schemaCollection('customers')]), 'first');
    const refused = await call('PUT', '/api/rights/watch', { document: stricter });
    expect([refused.status, refused.detail]).toEqual([422, expect.stringContaining('orders')]);
    await agent.uploadSchema(schemaDocument([schemaCollection('orders')]), 'second');
    const { body: started } = await call('PUT', '/api/rights/watch', { document: stricter });
    expect(started).toMatchObject({ watch: { isSchemaChanged: false, problems: [] } });
    await agent.uploadSchema(schemaDocument([schemaCollection('customers')]), 'third');
    const { body: found } = await call('GET', '/api/rights/watch');
    expect(found).toMatchObject({ watch: { isSchemaChanged: true, problems: [expect.stringContaining('orders')] } });
  });

  it('knows several roles, the roles that the document gives, and teams that it does not name', async () => {
    const platform = await startTeamPlatform({ store: await newPlace() });
    await platform.call('PUT', '/api/rights', { document, base: 0, allowUnknown: true });
    const bob = await platform.join('bob@example.test', { role: 'Support', level: 'user' });
    await report(platform, bob, [['index', 'customers']]);
    const refusedBy = async (document: PermissionFile) => {
      const { body } = await platform.call('POST', '/api/rights/refusals', { document });
      return (body as RefusedByRights).refusals.map(({ because }) => because);
    };
    expect(await refusedBy(stricter)).toEqual(['may not browse "customers"']);
    const people = { 'bob@example.test': { roles: ['Support', 'Administrators'] } };
    expect(await refusedBy({ ...stricter, people })).toEqual([]);
    expect(await refusedBy({ ...stricter, people, teams: { Sales: {} } })).toEqual(['no team sees it']);
  });
});
