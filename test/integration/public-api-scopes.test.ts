import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ApiTokenWithSecret, type WantedApiScope, wantedApiScopes } from '#contracts/api-tokens';
import { cosign, cosignerKeyOf, cosignerOf } from '#contracts/audit/signing';
import type { PublicOperation } from '#contracts/public-api/operation';
import { publicOperations } from '#contracts/public-api/operations';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** A platform with a log and a note, and a way to ask each route of `/v1` for something that is there. */
async function start() {
  const store = `sqlite:${path.join(await temporaryFolder(), 'store.sqlite')}`;
  const { sandbox, token: admin, report, json } = await startAuditApi({ store });
  await report([activity()]);
  const send = (method: string, route: string, token: string | undefined, body?: unknown, headers = {}) =>
    fetch(`${sandbox.url}${route}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const note = { collectionName: 'orders', recordId: '7', title: 'Call back', content: 'On Monday' };
  expect((await send('POST', '/v1/project/shop/environment/development/notes', admin, note)).status).toBe(201);
  const newest = async (list: string) =>
    ((await json(list)).body['data'] as readonly { readonly id: string }[])[0]?.id ?? '';
  const [act, change] = [await newest('/environment/development/activity-logs'), await newest('/admin-logs')];
  const ids: Record<string, string> = {
    ...{ getActivityLog: act, proveActivityLog: act },
    ...{ getAdminLog: change, proveAdminLog: change },
  };
  const { chains } = (await json('/integrity')).body as { readonly chains: readonly { readonly chain: string }[] };
  const [{ chain } = { chain: '' }] = chains;
  const month = new Date().toISOString().slice(0, 7);
  const { note: segment } = (await json(`/integrity/segments/${chain}/${month}`)).body as { readonly note: string };
  const witness = cosignerKeyOf('witness.example', '11'.repeat(32));
  const bodies: Record<string, unknown> = {
    createNote: note,
    createNoteMessage: { content: 'Done' },
    changeNote: { archived: true },
    addCosignature: { note: cosign(segment, witness, 1_793_000_000), cosigner: cosignerOf(witness) },
  };
  const ask = async ({ id, method, path: pattern }: PublicOperation, token: string | undefined) => {
    const place = { projectName: 'shop', environmentName: 'development', chain, month };
    const places: Record<string, string> = { ...place, id: ids[id] ?? '1' };
    const route = pattern.replaceAll(/\{(\w+)\}/g, (_text, name: string) => encodeURIComponent(places[name] ?? ''));
    const answer = await send(method.toUpperCase(), route, token, bodies[id], { 'if-match': '*' });
    const text = await answer.text();
    return { status: answer.status, challenge: answer.headers.get('www-authenticate'), text };
  };
  const tokensPath = '/api/projects/shop/tokens';
  const makeToken = async (scopes: readonly WantedApiScope[]) => {
    const made = await send('POST', tokensPath, admin, { name: 'siem', scopes });
    expect(made.status).toBe(201);
    const { id, token } = (await made.json()) as ApiTokenWithSecret;
    return { id, token: token ?? '' };
  };
  const revoke = async (id: number) => {
    expect((await send('DELETE', `${tokensPath}/${id}`, admin)).status).toBe(204);
  };
  /** Another administrator makes the first one a developer. */
  const demote = async () => {
    const eve = { name: 'Eve Example', email: 'eve@example.test' };
    const { userToken } = await sandbox.provisionDevelopment({
      project: 'shop',
      envSecret: 'e5'.repeat(32),
      user: eve,
    });
    const { people } = (await (await send('GET', '/api/people', userToken)).json()) as {
      readonly people: readonly { readonly id: number; readonly email: string }[];
    };
    const ada = people.find(({ email }) => email === 'ada@example.test');
    expect((await send('PATCH', `/api/people/${ada?.id}`, userToken, { level: 'developer' })).status).toBe(200);
  };
  return { ask, makeToken, revoke, demote };
}

describe('the routes of /v1', () => {
  it.each(wantedApiScopes)('let a token with %s in where it may be, and nowhere else', async (scope) => {
    const { ask, makeToken } = await start();
    const { token } = await makeToken([scope]);
    for (const operation of publicOperations) {
      const isAllowed = operation.scope === undefined || scope === 'all' || operation.scope === scope;
      const { status, challenge, text } = await ask(operation, token);
      const what = `${operation.id} answered ${status} ${text.slice(0, 200)}`;
      if (isAllowed) expect([200, 201, 412], what).toContain(status);
      else {
        expect(status, what).toBe(403);
        expect(challenge, what).toBe(`Bearer realm="service", error="insufficient_scope", scope="${operation.scope}"`);
      }
    }
  });

  it('refuse a call without a token, alike everywhere', async () => {
    const { ask } = await start();
    for (const operation of publicOperations) {
      expect(await ask(operation, undefined), operation.id).toMatchObject({ status: 401 });
    }
  });

  it('refuse a call with a revoked token, alike everywhere', async () => {
    const { ask, makeToken, revoke } = await start();
    const { id, token } = await makeToken(['all']);
    await revoke(id);
    for (const operation of publicOperations) {
      const revoked = await ask(operation, token);
      expect(revoked, operation.id).toMatchObject({ status: 401 });
      expect(JSON.parse(revoked.text)).toMatchObject({ code: 'invalid_token' });
    }
  });

  it('refuse the token of somebody who is not an administrator any more, everywhere', async () => {
    const { ask, makeToken, demote } = await start();
    const { token } = await makeToken(['all']);
    await demote();
    for (const operation of publicOperations) {
      const { status, text } = await ask(operation, token);
      expect(status, operation.id).toBe(403);
      expect(JSON.parse(text)).toMatchObject({ code: 'owner_not_admin' });
    }
  });
});
