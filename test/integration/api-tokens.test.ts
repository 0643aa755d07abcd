import { describe, expect, it } from 'vitest';
import type { ApiToken } from '#contracts/api-tokens';
import { createApiTokenRepository } from '#platform/api-tokens/api-token-repository';
import { warnOfEnds } from '#platform/api-tokens/warn-of-ends';
import { pathOf, startPublicApi } from '../helpers/public-api.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const notes = pathOf('notes:read');

type Started = Awaited<ReturnType<typeof startPublicApi>>;

async function list({ call, ownPath, ada }: Started): Promise<readonly ApiToken[]> {
  const { body } = await call('GET', ownPath, { as: ada });
  return (body as { tokens: ApiToken[] }).tokens;
}

describe('the tokens of a project', () => {
  it.each([
    ['live', 90],
    ['test', 180],
  ] as const)('are shown once and listed without their secrets (%s)', async (kind, days) => {
    const started = await startPublicApi({ kind });
    const { call, ownPath, ada, time, member, store, lines } = started;
    const input = { name: '  siem ', scopes: ['notes:read', 'notes:read', 'admin_logs:read'] };
    const made = await call('POST', ownPath, { as: ada, body: input });
    expect(made.status).toBe(201);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const { token, ...shown } = made.body as unknown as ApiToken & { token: string };
    expect(token).toMatch(new RegExp(`^svc_${kind}_`));
    expect(shown).toEqual({
      id: expect.any(Number),
      name: 'siem',
      hint: token.slice(-4),
      scopes: ['notes:read', 'admin_logs:read'],
      allowedCidrs: [],
      createdAt: new Date(time.clock.now()).toISOString(),
      createdBy: { id: member.id, name: 'Ada Lovelace', email: 'ada@example.test' },
      lastUsedAt: null,
      lastUsedAddress: null,
      expiresAt: new Date(time.clock.now() + days * dayMs).toISOString(),
      expiresSoon: false,
      revokedAt: null,
      state: 'active',
    });
    expect(await list(started)).toEqual([shown]);
    const stored = [
      ...(await store.db.selectFrom('apiTokens').selectAll().execute()),
      ...(await store.db.selectFrom('apiTokenSecrets').selectAll().execute()),
    ];
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(lines.join()).not.toContain('svc_');
  });

  it.each([
    ['read-only', ['activity_logs:read', 'admin_logs:read', 'notes:read']],
    ['read-write', ['activity_logs:read', 'admin_logs:read', 'notes:read', 'notes:write']],
  ])('have the scopes of the level %s', async (level, scopes) => {
    const { makeToken } = await startPublicApi();
    expect(await makeToken({ level, scopes: undefined })).toMatchObject({ scopes });
  });

  it('keep "all" as one scope', async () => {
    const { makeToken } = await startPublicApi();
    expect(await makeToken({ scopes: ['notes:read', 'all'] })).toMatchObject({ scopes: ['all'] });
  });

  it.each([
    ['an unknown scope', { scopes: ['notes:delete'] }],
    ['the right to manage tokens', { scopes: ['tokens:write'] }],
    ['no scope', { scopes: [] }],
    ['neither scopes nor level', { scopes: undefined }],
    ['both of them', { level: 'read-only' }],
    ['an unknown level', { scopes: undefined, level: 'admin' }],
    ['no name', { name: ' ' }],
    ['a name with a line break', { name: 'a\nb' }],
    ['a life of 367 days', { expiresInSeconds: 367 * 86_400 }],
    ['no end without saying so', { expiresInSeconds: null }],
    ['an end and no end', { expiresInSeconds: 3600, neverExpires: true }],
    ['a range that is everybody', { allowedCidrs: ['everywhere'] }],
    ['an unknown member', { environments: [] }],
  ])('cannot be made with %s', async (_name, change) => {
    const { call, ownPath, ada } = await startPublicApi();
    const body = { name: 'siem', scopes: ['all'], ...change };
    const answer = await call('POST', ownPath, { as: ada, body });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 'REQUEST_INVALID' }] } });
  });

  it('live for 366 days at most, and without an end only where somebody says so', async () => {
    const { makeToken, time } = await startPublicApi();
    const longest = await makeToken({ expiresInSeconds: 366 * 86_400 });
    expect(longest.expiresAt).toBe(new Date(time.clock.now() + 366 * dayMs).toISOString());
    expect((await makeToken({ neverExpires: true })).expiresAt).toBeNull();
  });

  it('are managed by administrators only, in the project that they have signed in to', async () => {
    const { changeAda, call, ownPath, ada, makeToken } = await startPublicApi();
    const { id, token } = await makeToken();
    const requests = [
      ['GET', ''],
      ['POST', '', { name: 'a', scopes: ['all'] }],
      ['POST', `/${id}/rotate`, {}],
      ['DELETE', `/${id}`],
    ] as const;
    const statuses = async (path: string, as?: string) => {
      const answers: number[] = [];
      for (const [method, rest, body] of requests) answers.push((await call(method, path + rest, { as, body })).status);
      return answers;
    };
    expect(await statuses(ownPath)).toEqual([401, 401, 401, 401]);
    expect(await statuses(ownPath, token)).toEqual([401, 401, 401, 401]);
    expect(await statuses('/api/projects/Shop/tokens', ada)).toEqual([404, 404, 404, 404]);
    await changeAda({ permissionLevel: 'developer' });
    expect(await statuses(ownPath, ada)).toEqual([403, 403, 403, 403]);
    expect((await call('GET', notes, { as: token })).body).toMatchObject({ code: 'owner_not_admin' });
  });

  it('give a request that comes again the same answer without the secret', async () => {
    const started = await startPublicApi();
    const { call, ownPath, ada } = started;
    const body = { name: 'siem', scopes: ['all'] };
    const create = (change: object = {}, key = 'a-key') =>
      call('POST', ownPath, { as: ada, body: { ...body, ...change }, headers: { 'idempotency-key': key } });
    const [first, second] = [await create(), await create()];
    const { token, ...shown } = first.body ?? {};
    expect(token).toMatch(/^svc_live_/);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second).toMatchObject({ status: 201, body: shown });
    expect(second.body).not.toHaveProperty('token');
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await create({ name: 'other' })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'IDEMPOTENCY_KEY_REUSED' }] },
    });
    for (const key of ['a b', 'k'.repeat(256), '']) expect((await create({}, key)).status).toBe(400);
    expect(await list(started)).toHaveLength(1);
  });

  it('are made once for a key, also when the connection of the first request breaks', async () => {
    const started = await startPublicApi();
    const { url, ownPath, ada } = started;
    for (let round = 0; round < 12; round++) {
      const create = (signal?: AbortSignal) =>
        fetch(url + ownPath, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${ada}`,
            'content-type': 'application/json',
            'idempotency-key': `round-${round}`,
          },
          body: JSON.stringify({ name: `round ${round}`, scopes: ['all'] }),
          ...(signal ? { signal } : {}),
        });
      const broken = new AbortController();
      const lost = create(broken.signal).catch((error: unknown) => error);
      // At another moment of the request in each round.
      for (let turn = 0; turn < round * 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      broken.abort();
      await lost;
      expect((await create()).status).toBe(201);
    }
    const names = (await list(started)).map(({ name }) => name);
    expect(names.sort()).toEqual(Array.from({ length: 12 }, (_, round) => `round ${round}`).sort());
  });

  it('work with both secrets during the overlap of a rotation', async () => {
    const started = await startPublicApi();
    const { call, ownPath, ada, makeToken, time } = started;
    const { id, token: first } = await makeToken({ expiresInSeconds: (30 * dayMs) / 1000 });
    time.pass(dayMs);
    const rotated = await call('POST', `${ownPath}/${id}/rotate`, { as: ada, body: { overlapSeconds: 3600 } });
    expect(rotated.status).toBe(200);
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    const { token: second } = rotated.body as { token: string };
    expect(rotated.body).toMatchObject({ id, hint: second.slice(-4) });
    expect(rotated.body?.['expiresAt']).toBe(new Date(time.clock.now() + 30 * dayMs).toISOString());
    const old = await call('GET', notes, { as: first });
    expect(old.status).toBe(200);
    expect(old.headers.get('x-service-token-expires')).toBe(new Date(time.clock.now() + hourMs).toISOString());
    const fresh = await call('GET', notes, { as: second });
    expect(fresh.headers.get('x-ratelimit-remaining')).toBe('58');
    expect(fresh.headers.get('x-service-token-expires')).toBeNull();
    time.pass(hourMs);
    expect(await call('GET', notes, { as: first })).toMatchObject({ status: 401, body: { code: 'token_expired' } });
    expect((await call('GET', notes, { as: second })).status).toBe(200);
    const third = await call('POST', `${ownPath}/${id}/rotate`, { as: ada, body: { overlapSeconds: 0 } });
    expect(third.status).toBe(200);
    expect((await call('GET', notes, { as: second })).status).toBe(401);
    const long = await call('POST', `${ownPath}/${id}/rotate`, { as: ada, body: { overlapSeconds: 86_401 } });
    expect(long.status).toBe(400);
    expect((await call('POST', `${ownPath}/999/rotate`, { as: ada, body: {} })).status).toBe(404);
  });

  it('stop working at once when they are revoked, with every secret that they have', async () => {
    const started = await startPublicApi();
    const { call, ownPath, ada, makeToken } = started;
    const { id, token: first } = await makeToken();
    const rotated = await call('POST', `${ownPath}/${id}/rotate`, { as: ada });
    const second = String(rotated.body?.['token']);
    expect((await call('DELETE', `${ownPath}/${id}`, { as: ada })).status).toBe(204);
    for (const token of [first, second]) expect((await call('GET', notes, { as: token })).status).toBe(401);
    expect(await list(started)).toMatchObject([{ state: 'revoked', revokedAt: expect.any(String) }]);
    expect((await call('DELETE', `${ownPath}/${id}`, { as: ada })).status).toBe(204);
    expect((await call('DELETE', `${ownPath}/999`, { as: ada })).status).toBe(404);
  });

  it('tell when and from where they were used, and no request waits for that', async () => {
    const started = await startPublicApi();
    const { call, makeToken, time, store } = started;
    const { token } = await makeToken();
    const use = (address: string) => call('GET', notes, { as: token, headers: { 'x-forwarded-for': address } });
    const firstUse = new Date(time.clock.now()).toISOString();
    await use('192.0.2.1');
    await expect.poll(() => list(started)).toMatchObject([{ lastUsedAt: firstUse, lastUsedAddress: '192.0.2.1' }]);
    const before = store.count.transactions;
    for (let request = 0; request < 5; request++) await use('192.0.2.2');
    // Each request takes from its quota, and none writes down that it was made.
    expect(store.count.transactions).toBe(before + 5);
  });

  it('are announced in the log once a day before they end, by one process', async () => {
    const { makeToken, store, time } = await startPublicApi();
    const { id } = await makeToken({ expiresInSeconds: 3600 });
    const lines: string[] = [];
    const logger = { log: (...line: unknown[]) => void lines.push(JSON.stringify(line)) };
    for (let process = 0; process < 2; process++) {
      await warnOfEnds(createApiTokenRepository(store, time.clock), time.clock, logger)();
    }
    expect(lines).toEqual([expect.stringContaining(`"id":${id},"name":"siem","project":"shop"`)]);
  });
});
