import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathOf, startPublicApi } from '../helpers/public-api.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const notes = pathOf('notes:read');

/** The members and parameters of a list of structured fields (RFC 9651) whose items are strings. */
function parseFields(header: string | null): Record<string, Record<string, number>> {
  const item = /^"([\x20-\x21\x23-\x5b\x5d-\x7e]+)"((?:;[a-z]+=\d{1,15})*)$/;
  const members = (header ?? '').split(', ').map((member) => {
    const [, name = '', parameters = ''] = item.exec(member) ?? [];
    if (name === '') throw new Error(`"${member}" is not an item of a structured field.`);
    const pairs = parameters
      .split(';')
      .slice(1)
      .map((pair) => pair.split('='));
    return [name, Object.fromEntries(pairs.map(([key, value]) => [key, Number(value)]))] as const;
  });
  return Object.fromEntries(members);
}

describe('the rate limits of the public API', () => {
  it('are reported by every authenticated answer', async () => {
    const { call, makeToken, time } = await startPublicApi();
    const { token } = await makeToken({ scopes: ['notes:read'] });
    for (const [route, status] of [
      [notes, 200],
      [pathOf('notes:write'), 403],
      [pathOf('notes:read', 'market'), 404],
    ] as const) {
      const { headers, ...answer } = await call('GET', route, { as: token });
      expect(answer.status).toBe(status);
      expect(headers.get('x-ratelimit-limit')).toBe('60');
      expect(parseFields(headers.get('ratelimit-policy'))).toEqual({
        min: { q: 60, w: 60 },
        hour: { q: 1000, w: 3600 },
        day: { q: 10_000, w: 86_400 },
      });
      const remaining = Number(headers.get('x-ratelimit-remaining'));
      expect(parseFields(headers.get('ratelimit'))).toEqual({ min: { r: remaining, t: 1 } });
      expect(headers.get('x-ratelimit-reset')).toBe(String(time.clock.now() / 1000 + 1));
    }
    const unknown = await call('GET', notes, { as: 'wrong' });
    expect(unknown.headers.get('x-ratelimit-limit')).toBeNull();
  });

  it('refuse the request after the quota, which costs nothing', async () => {
    const { call, makeToken, time } = await startPublicApi();
    const { token } = await makeToken();
    const statuses: number[] = [];
    for (let request = 0; request < 61; request++) statuses.push((await call('GET', notes, { as: token })).status);
    expect(statuses).toEqual([...Array(60).fill(200), 429]);
    const { status, body, headers } = await call('GET', notes, { as: token });
    expect(status).toBe(429);
    expect(body).toMatchObject({
      error: 'Too Many Requests',
      message: 'Rate limit exceeded. Please retry after 1 seconds.',
      code: 'rate_limited',
      retry_after: 1,
      'violated-policies': ['min'],
    });
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(parseFields(headers.get('ratelimit'))).toEqual({ min: { r: 0, t: 1 } });
    const left = (await call('GET', '/v1/rate-limit', { as: token })).body?.['policies'];
    expect(left).toEqual([
      { name: 'min', limit: 60, windowSeconds: 60, remaining: 0, nextInSeconds: 1 },
      { name: 'hour', limit: 1000, windowSeconds: 3600, remaining: 940, nextInSeconds: 4 },
      { name: 'day', limit: 10_000, windowSeconds: 86_400, remaining: 9940, nextInSeconds: 9 },
    ]);
    time.pass(1000);
    expect((await call('GET', notes, { as: token })).status).toBe(200);
    expect((await call('GET', notes, { as: token })).status).toBe(429);
  });

  it('keep the longest wait of the policies that refuse', async () => {
    const ratePolicies = [
      { name: 'min', quota: 2, windowSeconds: 60 },
      { name: 'hour', quota: 2, windowSeconds: 3600 },
    ];
    const { call, makeToken } = await startPublicApi({ ratePolicies });
    const { token } = await makeToken();
    for (let request = 0; request < 2; request++) await call('GET', notes, { as: token });
    const { body, headers } = await call('GET', notes, { as: token });
    expect(body).toMatchObject({ retry_after: 1800, 'violated-policies': ['min', 'hour'] });
    expect(parseFields(headers.get('ratelimit'))).toEqual({ hour: { r: 0, t: 1800 } });
  });

  it('belong to one token each, and to each person', async () => {
    const { call, makeToken, ada } = await startPublicApi();
    const tokens = await Promise.all(Array.from({ length: 10 }, () => makeToken()));
    for (const { token } of tokens) {
      expect((await call('GET', notes, { as: token })).headers.get('x-ratelimit-remaining')).toBe('59');
    }
    expect((await call('GET', notes, { as: ada })).headers.get('x-ratelimit-remaining')).toBe('59');
  });

  it('stay when the platform starts again', async () => {
    const store = { dialect: 'sqlite', storage: path.join(await temporaryFolder(), 'platform.sqlite') } as const;
    const before = await startPublicApi({ store });
    const { token } = await before.makeToken();
    for (let request = 0; request < 60; request++) await before.call('GET', notes, { as: token });
    await before.server.close();
    await before.store.close();
    const { call } = await startPublicApi({ store });
    expect((await call('GET', notes, { as: token })).status).toBe(429);
  });

  it('charge for work while it runs', async () => {
    const taken: boolean[] = [];
    const { call, makeToken } = await startPublicApi({
      addRoutes: (api) =>
        api.add({
          method: 'GET',
          path: '/export',
          scope: undefined,
          handle: async ({ charge }) => {
            for (const cost of [20, 39, 1]) taken.push(await charge(cost));
            return {};
          },
        }),
    });
    const { token } = await makeToken();
    expect((await call('GET', '/v1/export', { as: token })).status).toBe(200);
    expect(taken).toEqual([true, true, false]);
    expect((await call('GET', notes, { as: token })).status).toBe(429);
  });

  it('tell a call that goes on when its token has ended', async () => {
    const allowed: boolean[] = [];
    const started = await startPublicApi({
      addRoutes: (api) =>
        api.add({
          method: 'GET',
          path: '/export',
          scope: 'notes:read',
          handle: async ({ isStillAllowed, caller }) => {
            allowed.push(await isStillAllowed());
            const revoked = await started.call('DELETE', `${started.ownPath}/${caller.tokenId}`, { as: started.ada });
            allowed.push(revoked.status !== 204, await isStillAllowed());
            return {};
          },
        }),
    });
    const { token } = await started.makeToken();
    expect((await started.call('GET', '/v1/export', { as: token })).status).toBe(200);
    expect(allowed).toEqual([true, false, false]);
  });

  it('never refuse a client that follows the headers', { tags: 'long' }, async () => {
    const policies = fc
      .uniqueArray(
        fc.record({
          name: fc.constantFrom('min', 'hour', 'day'),
          quota: fc.integer({ min: 1, max: 12 }),
          windowSeconds: fc.integer({ min: 1, max: 90 }),
        }),
        { minLength: 1, maxLength: 3, selector: ({ name }) => name },
      )
      .filter((all) => all.length > 0);
    const pauses = fc.array(fc.integer({ min: 0, max: 1500 }), { minLength: 25, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(policies, pauses, fc.boolean(), async (ratePolicies, waits, readsDraft) => {
        const { call, makeToken, time } = await startPublicApi({ ratePolicies });
        const { token } = await makeToken();
        for (const wait of waits) {
          time.pass(wait);
          const { status, headers } = await call('GET', notes, { as: token });
          expect(status).toBe(200);
          if (headers.get('x-ratelimit-remaining') !== '0') continue;
          const [{ t = 0 } = {}] = Object.values(parseFields(headers.get('ratelimit')));
          const reset = Number(headers.get('x-ratelimit-reset')) * 1000;
          time.pass(readsDraft ? t * 1000 : Math.max(0, reset - time.clock.now()));
        }
      }),
      { numRuns: 25 },
    );
  });
});
