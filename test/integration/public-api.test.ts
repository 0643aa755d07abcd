import { request as send } from 'node:http';
import { describe, expect, it } from 'vitest';
import { apiScopes, scopesGranted, wantedApiScopes } from '#contracts/api-tokens';
import { systemRandom } from '#node/system/system-random';
import { makeApiTokenSecret } from '#platform/api-tokens/api-token-secret';
import { provisionIn } from '../helpers/admin-log.ts';
import { pathOf, startPublicApi } from '../helpers/public-api.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const notes = pathOf('notes:read');

/** A request with the headers exactly as they are written here. */
function sendRaw(url: string, headers: readonly string[]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = send(url, { headers: ['host', new URL(url).host, ...headers] }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.on('error', reject);
    call.end();
  });
}

describe('the front door of /v1', () => {
  it('lets a token in and says whose it is', async () => {
    const { call, makeToken, member, environment } = await startPublicApi();
    const { id, token } = await makeToken({ scopes: ['notes:read'] });
    const { status, body, headers } = await call('GET', notes, { as: token });
    expect(status).toBe(200);
    expect(body).toEqual({
      project: { id: environment.projectId, name: 'shop' },
      scopes: ['notes:read'],
      tokenId: id,
      user: expect.objectContaining({ id: member.id, email: 'ada@example.test' }),
      subject: `token ${id}`,
      environment: expect.objectContaining({ id: environment.id, name: 'development' }),
    });
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('vary')).toBe('Authorization, Accept');
    expect(headers.get('date')).not.toBeNull();
  });

  it('takes the token of an administrator who has signed in, with every scope', async () => {
    const { call, ada, changeAda, member } = await startPublicApi();
    expect((await call('GET', notes, { as: ada })).body).toMatchObject({
      scopes: apiScopes,
      subject: `person ${member.id}`,
    });
    await changeAda({ permissionLevel: 'developer' });
    expect(await call('GET', notes, { as: ada })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  it.each([
    ['no header', {}, 'Bearer realm="service"'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'Bearer realm="service"'],
    ['an empty token', { authorization: 'Bearer ' }, 'Bearer realm="service", error="invalid_token"'],
    ['a blank inside', { authorization: 'Bearer a b' }, 'Bearer realm="service", error="invalid_token"'],
    ['another kind of token', { authorization: 'Bearer abc' }, 'Bearer realm="service", error="invalid_token"'],
  ])('answers 401 to %s', async (_name, headers, challenge) => {
    const { call } = await startPublicApi();
    const answer = await call('GET', notes, { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
    expect(answer.body).toMatchObject({ error: 'Unauthorized', message: 'Invalid or missing API token', status: 401 });
  });

  it('ignores a token in the address, takes any case of "Bearer", and refuses two headers', async () => {
    const { url, call, makeToken } = await startPublicApi();
    const { token } = await makeToken();
    expect((await call('GET', `${notes}?access_token=${token}&token=${token}`)).status).toBe(401);
    expect((await call('GET', notes, { headers: { authorization: `bEARER ${token}` } })).status).toBe(200);
    const bearer = `Bearer ${token}`;
    expect(await sendRaw(url + notes, ['Authorization', bearer])).toBe(200);
    expect(await sendRaw(url + notes, ['Authorization', bearer, 'authorization', bearer])).toBe(400);
    expect(await sendRaw(url + notes, ['Authorization', `Bearer ${'a'.repeat(20_000)}`])).toBe(431);
  });

  it('asks the store nothing for a text that is not a token', async () => {
    const { call, makeToken, store } = await startPublicApi();
    const { token } = await makeToken();
    const before = { ...store.count };
    const mistyped = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    for (const wrong of [mistyped, token.slice(1), `${token}x`, 'svc_live_', 'x']) {
      expect((await call('GET', notes, { as: wrong })).status).toBe(401);
    }
    expect(store.count).toEqual(before);
    await call('GET', notes, { as: makeApiTokenSecret('live', systemRandom) });
    expect(store.count.statements).toBe(before.statements + 1);
  });

  it('answers the same to a revoked token and to one that never was, and says when one has expired', async () => {
    const { call, makeToken, ownPath, ada, time } = await startPublicApi();
    const revoked = await makeToken();
    expect((await call('DELETE', `${ownPath}/${revoked.id}`, { as: ada })).status).toBe(204);
    const known = await call('GET', notes, { as: revoked.token });
    const unknown = await call('GET', notes, { as: makeApiTokenSecret('live', systemRandom) });
    expect({ ...known.body, instance: '' }).toEqual({ ...unknown.body, instance: '' });
    expect(known.text.length).toBe(unknown.text.length);
    expect(known.body).toMatchObject({ code: 'invalid_token', message: 'Invalid or missing API token' });
    const { token } = await makeToken({ expiresInSeconds: 3600 });
    time.pass(hourMs - 1000);
    expect((await call('GET', notes, { as: token })).status).toBe(200);
    time.pass(1000);
    expect(await call('GET', notes, { as: token })).toMatchObject({
      status: 401,
      body: { error: 'Unauthorized', message: 'API token has expired', code: 'token_expired' },
    });
  });

  it.each(
    [...wantedApiScopes.map((scope) => [scope]), ['notes:read', 'notes:write']].flatMap((scopes) =>
      apiScopes.flatMap((needed) =>
        (['GET', 'POST'] as const).map((method) => [scopes.join(' '), method, needed] as const),
      ),
    ),
  )('holds a token of %s to its scopes at %s %s', async (scopes, method, needed) => {
    const wanted = wantedApiScopes.filter((scope) => scopes.split(' ').includes(scope));
    const { call, makeToken } = await startPublicApi();
    const { token } = await makeToken({ scopes: wanted });
    const { status, body, headers } = await call(method, pathOf(needed), {
      as: token,
      ...(method === 'POST' ? { body: {} } : {}),
    });
    if (scopesGranted(wanted).has(needed)) {
      expect(status).toBe(200);
      return;
    }
    expect(status).toBe(403);
    expect(body).toMatchObject({
      error: 'Forbidden',
      message: 'Insufficient permissions for this operation',
      code: 'insufficient_scope',
    });
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="service", error="insufficient_scope", scope="${needed}"`,
    );
    expect(headers.get('x-ratelimit-remaining')).toBe('59');
  });

  it('refuses the token of somebody who is not an administrator any more, from the next request on', async () => {
    const { call, makeToken, changeAda } = await startPublicApi();
    const { token } = await makeToken();
    const status = async () => (await call('GET', notes, { as: token })).status;
    expect(await status()).toBe(200);
    await changeAda({ permissionLevel: 'editor' });
    const refused = await call('GET', notes, { as: token });
    expect(refused).toMatchObject({ status: 403, body: { code: 'owner_not_admin', error: 'Forbidden' } });
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('58');
    await changeAda({ permissionLevel: 'admin' });
    expect(await status()).toBe(200);
    await changeAda({ isActive: false });
    expect(await status()).toBe(403);
  });

  it('lets a token in only from its addresses', async () => {
    const { call, makeToken } = await startPublicApi();
    const { token } = await makeToken({ allowedCidrs: ['10.1.0.0/16', '192.0.2.7', 'fd00::/8'] });
    const status = async (address: string) =>
      (await call('GET', notes, { as: token, headers: { 'x-forwarded-for': address } })).status;
    for (const address of ['10.1.200.3', '192.0.2.7', 'fd12::1', '::ffff:10.1.0.1'])
      expect(await status(address)).toBe(200);
    for (const address of ['10.2.0.1', '192.0.2.8', 'fe80::1']) expect(await status(address)).toBe(403);
  });

  it.each([
    ['Shop', 'development'],
    ['market', 'development'],
    ['shop', 'Development'],
    ['shop', 'production'],
    ['shop/..', 'development'],
    ['shop%2F', 'development'],
  ])('answers 404 for the project %s with the environment %s', async (project, environment) => {
    const { call, makeToken, store } = await startPublicApi();
    const user = { firstName: 'Eve', lastName: 'Example', email: 'eve@example.test' };
    await provisionIn(store, { project: 'market', secretHash: 'other', user });
    const { token } = await makeToken({ scopes: ['notes:write'] });
    const { status, body } = await call('GET', pathOf('notes:read', project, environment), { as: token });
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'not_found', error: 'Not Found', title: 'Not Found', status: 404 });
  });

  it('finds a project whatever its letters, decoded once and in any form of Unicode', async () => {
    const project = 'Café / 50%25 ☕'.normalize('NFC');
    const { call, makeToken } = await startPublicApi({ project });
    const { token } = await makeToken();
    for (const name of [project, project.normalize('NFD')]) {
      expect((await call('GET', pathOf('notes:read', name), { as: token })).status).toBe(200);
    }
    expect((await call('GET', pathOf('notes:read', 'Café / 50% ☕'), { as: token })).status).toBe(404);
    const long = '☕'.repeat(100);
    expect((await call('GET', pathOf('notes:read', long), { as: token })).body).toMatchObject({ code: 'not_found' });
  });

  it('has no route for tokens, and answers everything below /v1 in its own form', async () => {
    const { call, makeToken } = await startPublicApi();
    const { token } = await makeToken();
    for (const [method, path] of [
      ['GET', '/v1/project/shop/tokens'],
      ['POST', '/v1/project/shop/tokens'],
      ['DELETE', '/v1/project/shop/tokens/1'],
      ['GET', '/v1'],
      ['GET', '/v1/nothing'],
    ] as const) {
      expect(await call(method, path, { as: token })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect(await call('GET', '/v1/project/%E0%A4%A/admin-logs', { as: token })).toMatchObject({
      status: 400,
      body: { error: 'Bad Request' },
    });
    const foreign = await call('GET', notes, { as: token, headers: { origin: 'https://evil.example' } });
    expect(foreign).toMatchObject({ status: 403, body: { error: 'Forbidden' } });
    const api = await call('GET', '/api/projects/shop/tokens', { as: token });
    expect(api).toMatchObject({ status: 401, body: { errors: [{ name: 'UnauthorizedError' }] } });
  });

  it('sends a problem document to who takes one', async () => {
    const { call } = await startPublicApi();
    const plain = await call('GET', notes);
    expect(plain.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(plain.body).toEqual({
      type: 'urn:vendor-cloud:problem:invalid-token',
      title: 'Unauthorized',
      status: 401,
      detail: 'The request carries no token. Send the header "Authorization: Bearer <API token>".',
      instance: expect.stringMatching(/^req_[0-9a-f-]{36}$/),
      code: 'invalid_token',
      message: 'Invalid or missing API token',
      error: 'Unauthorized',
    });
    const problem = await call('GET', notes, { headers: { accept: 'text/html, application/problem+json;q=0.9' } });
    expect(problem.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(problem.body).toEqual({ ...plain.body, instance: expect.any(String) });
  });

  it('says nothing of its own faults, and logs them without secrets', async () => {
    const { call, makeToken, lines } = await startPublicApi({
      addRoutes: (api) =>
        api.add({
          method: 'GET',
          path: '/fault',
          scope: undefined,
          handle: async (_call, { headers }) => {
            throw new Error(`select * from secrets for ${headers.authorization}`);
          },
        }),
    });
    const { token } = await makeToken();
    const { status, text } = await call('GET', '/v1/fault', { as: token });
    expect(status).toBe(500);
    expect(text).toContain('"code":"internal_error"');
    expect(text).not.toMatch(/select|secrets|svc_|\.ts/);
    expect(lines.join('\n')).toContain('select * from secrets for Bearer [redacted]');
    expect(lines.join('\n')).not.toContain(token);
  });

  it('refuses an address that sends many wrong tokens, but not the valid tokens from there', async () => {
    const { call, makeToken, store } = await startPublicApi();
    const { token } = await makeToken();
    const from = (address: string, as?: string) => call('GET', notes, { as, headers: { 'x-forwarded-for': address } });
    const statuses: number[] = [];
    for (let request = 0; request < 32; request++) statuses.push((await from('192.0.2.1', 'wrong')).status);
    expect(statuses).toEqual([...Array(30).fill(401), 429, 429]);
    const refused = await from('192.0.2.1');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', 'violated-policies': ['failures'] } });
    expect(refused.headers.get('retry-after')).toBe('2');
    expect((await from('192.0.2.2', 'wrong')).status).toBe(401);
    const valid = await from('192.0.2.1', token);
    expect(valid.status).toBe(200);
    expect(valid.headers.get('x-ratelimit-remaining')).toBe('59');
    expect(await store.db.selectFrom('rateLimits').select('subject').distinct().execute()).toHaveLength(1);
  });

  it('warns of a token that ends soon', async () => {
    const { call, makeToken, time } = await startPublicApi();
    const { token, expiresAt } = await makeToken({ expiresInSeconds: (15 * dayMs) / 1000 });
    const header = async () => (await call('GET', notes, { as: token })).headers.get('x-service-token-expires');
    expect(await header()).toBeNull();
    time.pass(dayMs);
    expect(await header()).toBe(expiresAt);
  });
});
