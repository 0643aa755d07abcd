import { describe, expect, it } from 'vitest';
import type { TeamView } from '#contracts/preferences';
import { type ConsoleBrowser, consoleBrowserOf } from '../../helpers/console-browser.ts';
import { useStoreEngines } from '../../helpers/store-engines.ts';
import { startTeamPlatform } from '../../helpers/team-platform.ts';

const engines = useStoreEngines();

async function ask(browser: ConsoleBrowser, method: string, path: string, body?: unknown) {
  const answer = await browser.ask(method, path, body);
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as unknown };
}

describe.each(engines)('what people keep for the console on $engine', ({ newPlace }) => {
  async function start() {
    const platform = await startTeamPlatform({ store: await newPlace() });
    await platform.call('POST', '/api/teams', { name: 'Support' });
    await platform.join('bob@example.test', { level: 'user' });
    await platform.join('cleo@example.test', { level: 'user' });
    await platform.join('dan@example.test', { level: 'user', team: 'Support' });
    const browserOf = (name: string) => consoleBrowserOf(platform, `${name}@example.test`);
    return { platform, browserOf };
  }

  it('is theirs in a project, is changed member by member, and loses no change', async () => {
    const { browserOf } = await start();
    const [bob, cleo] = [await browserOf('bob'), await browserOf('cleo')];
    const path = '/api/me/preferences';
    expect(await ask(bob, 'GET', path)).toEqual({ status: 200, body: { revision: 0, preferences: {} } });
    const first = { theme: 'dark', widths: { constructor: { toString: 120 } } };
    await ask(bob, 'PATCH', path, { base: 0, preferences: first });
    const second = await ask(bob, 'PATCH', path, { preferences: { theme: null, density: 'roomy' } });
    const kept = { revision: 2, preferences: { widths: first.widths, density: 'roomy' } };
    expect(second).toEqual({ status: 200, body: kept });
    expect((await ask(bob, 'PATCH', path, { base: 1, preferences: { theme: 'light' } })).status).toBe(409);
    expect((await ask(bob, 'PATCH', path, { preferences: { long: 'é'.repeat(33_000) } })).status).toBe(413);
    expect((await ask(bob, 'PATCH', path, { preferences: 'x' })).status).toBe(400);
    expect((await ask(bob, 'GET', path)).body).toEqual(kept);
    expect((await ask(cleo, 'GET', path)).body).toEqual({ revision: 0, preferences: {} });
    // Pages that change different members at once keep both.
    const names = Array.from({ length: 8 }, (_each, index) => `member${index}`);
    await Promise.all(names.map((name) => ask(cleo, 'PATCH', path, { preferences: { [name]: true } })));
    expect((await ask(cleo, 'GET', path)).body).toEqual({
      revision: 8,
      preferences: Object.fromEntries(names.map((name) => [name, true])),
    });
  });

  it('is shared as a view with the team, and changed by its owner or an administrator', async () => {
    const { platform, browserOf } = await start();
    const [bob, cleo, dan] = [await browserOf('bob'), await browserOf('cleo'), await browserOf('dan')];
    const content = { name: 'Unpaid', collection: 'orders', document: { sort: '-total' } };
    const made = await ask(bob, 'POST', '/api/views', content);
    const { id } = made.body as TeamView;
    const view = { id, revision: 1, ...content, owner: { id: expect.any(Number), name: 'bob Example' } };
    expect(made).toEqual({ status: 201, body: { ...view, isMine: true } });
    expect((await ask(cleo, 'GET', '/api/views?collection=orders')).body).toEqual({
      views: [{ ...view, isMine: false }],
    });
    expect((await ask(cleo, 'GET', '/api/views?collection=customers')).body).toEqual({ views: [] });
    expect((await ask(dan, 'GET', '/api/views')).body).toEqual({ views: [] });

    const changed = { base: 1, ...content, name: 'Late' };
    expect((await ask(cleo, 'PUT', `/api/views/${id}`, changed)).status).toBe(403);
    expect((await ask(cleo, 'DELETE', `/api/views/${id}`)).status).toBe(403);
    expect((await ask(dan, 'PUT', `/api/views/${id}`, changed)).status).toBe(404);
    expect((await ask(bob, 'PUT', `/api/views/${id}`, changed)).body).toMatchObject({ revision: 2, name: 'Late' });
    expect((await ask(bob, 'PUT', `/api/views/${id}`, changed)).status).toBe(409);
    expect((await platform.call('DELETE', `/api/views/${id}`)).status).toBe(204);
    expect((await ask(bob, 'DELETE', `/api/views/${id}`)).status).toBe(404);
  });
});
