import type { FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { ConsoleEvent, DevLog } from '#contracts/console-events';
import { createDevFeed } from '#flows/dev/dev-feed';
import { cloudError } from '#kernel/errors/cloud-error';
import { TestTraffic } from '../../src/sandbox/fixtures/test-traffic.ts';
import { activity } from '../helpers/audit-api.ts';
import {
  type ConsoleBrowser,
  consoleBrowserOf,
  openConsoleBrowser,
  signInToConsole,
} from '../helpers/console-browser.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

/** Listens as `EventSource` does, which sends no headers of a page. */
async function listen(browser: ConsoleBrowser, query = '', headers: Readonly<Record<string, string>> = {}) {
  const bare = { 'service-client': undefined, accept: 'text/event-stream', ...headers };
  const answer = await browser.ask('GET', `/api/events${query}`, undefined, bare);
  const heard: ConsoleEvent[] = [];
  const ids: string[] = [];
  const state = { isOver: false };
  const read = async () => {
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += new TextDecoder().decode(chunk as Uint8Array);
      const messages = text.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const [, id] = /^id: (.*)$/m.exec(message) ?? [];
        const [, data] = /^data: (.*)$/m.exec(message) ?? [];
        if (id !== undefined) ids.push(id);
        if (data !== undefined) heard.push(JSON.parse(data) as ConsoleEvent);
      }
    }
    state.isOver = true;
  };
  const reading = answer.status === 200 ? read() : Promise.resolve();
  reading.catch(() => undefined);
  return { answer, heard, ids, state };
}

const bob = 'bob@example.test';
const rights = (role: string) => ({ roles: { Administrators: { collections: {} }, [role]: { collections: {} } } });

describe('the events of the console', () => {
  it('tell what changes, and go on after the last one that a page has heard', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob, { level: 'user' });
    const browser = await consoleBrowserOf(platform, bob);
    const first = await listen(browser);
    expect([first.answer.status, first.answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await platform.call('PUT', '/api/rights', { document: rights('Support'), base: 0, allowLockout: true });
    await expect.poll(() => first.heard).toContainEqual({ type: 'rights' });
    const [before = ''] = first.ids;
    const again = await listen(browser, '', { 'last-event-id': before });
    await expect.poll(() => again.heard).toEqual(first.heard);
    // Another environment has its own.
    await platform.call('POST', '/api/environments', { name: 'staging', type: 'development' });
    const staging = await listen(browser, '?environment=staging');
    const heardBefore = first.heard.length;
    await platform.call('PUT', '/api/rights', { document: rights('Sales'), base: 1, allowLockout: true });
    await expect.poll(() => first.heard.length).toBeGreaterThan(heardBefore);
    expect(staging.heard).toEqual([]);
    expect((await listen(browser, '?environment=nowhere')).answer.status).toBe(404);
    expect((await listen(browser, '?what=x')).answer.status).toBe(400);
  });

  it('are for people of the project who are signed in, and end when they are not any more', async () => {
    const platform = await startTeamPlatform();
    const bobId = await platform.join(bob);
    const browser = await consoleBrowserOf(platform, bob);
    const elsewhere = { 'sec-fetch-site': 'same-site' };
    expect((await listen(browser, '', elsewhere)).answer.status).toBe(403);
    expect((await listen(openConsoleBrowser(platform))).answer.status).toBe(401);
    const { state } = await listen(browser);
    expect(state.isOver).toBe(false);
    await platform.call('PATCH', `/api/people/${bobId}`, { isActive: false });
    await expect.poll(() => state.isOver).toBe(true);
  });

  it('take ten connections of a person, and each one again that was left', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const browser = await consoleBrowserOf(platform, bob);
    const leave = new AbortController();
    const open = () =>
      browser.open(`${platform.url}/api/events`, {
        headers: { accept: 'text/event-stream', 'sec-fetch-site': 'same-origin' },
        signal: leave.signal,
      });
    const all = await Promise.all(Array.from({ length: 10 }, open));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    const more = await listen(browser);
    expect([more.answer.status, await more.answer.json()]).toEqual([
      429,
      { errors: [expect.objectContaining({ code: 'REQUEST_RATE_LIMITED' })] },
    ]);
    leave.abort();
    await expect.poll(async () => (await listen(browser)).answer.status).toBe(200);
  });

  it('tell of written records to those who may browse them, and of the log to those who may read it', {
    tags: 'long',
  }, async () => {
    const platform = await startTeamPlatform();
    const reading = { browse: true, read: true };
    const document = {
      roles: {
        Administrators: { collections: { orders: reading, secrets: reading } },
        Support: { collections: { orders: reading } },
      },
    };
    await platform.call('PUT', '/api/rights', { document, base: 0, allowLockout: true });
    await platform.join(bob, { level: 'user', role: 'Support' });
    const ada = openConsoleBrowser(platform);
    await signInToConsole(ada, platform, { token: platform.token });
    const [ofAda, ofBob] = [await listen(ada), await listen(await consoleBrowserOf(platform, bob))];
    const report = async (...activities: object[]) => {
      const answer = await fetch(`${platform.url}/agent/v1/activities`, {
        method: 'POST',
        headers: { 'service-secret-key': platform.envSecret, 'content-type': 'application/json' },
        body: JSON.stringify({ activities }),
      });
      expect(answer.status).toBe(204);
    };
    const secrets = { collection: 'secrets', recordIds: ['a secret id'] };
    await report(
      activity(secrets),
      activity(),
      activity(),
      activity({ action: 'index', type: 'read', collection: 'read' }),
    );
    const pending = activity({ status: 'pending', durationMs: null });
    await report(pending, activity({ collection: 'failed', status: 'failed' }));
    const orders = { type: 'records', collection: 'orders' };
    await expect.poll(() => ofBob.heard).toEqual([orders]);
    await expect.poll(() => ofAda.heard).toContainEqual({ type: 'records', collection: 'secrets' });
    // The same news within a second goes out once, when the second is over.
    await report({ ...pending, status: 'completed', durationMs: 1 });
    await report(activity());
    await expect.poll(() => ofBob.heard, { timeout: 5_000 }).toEqual([orders, orders]);
    const logged = () => ofAda.heard.filter(({ type }) => type === 'log').length;
    await expect.poll(logged, { timeout: 5_000 }).toBe(2);
    const named = ofAda.heard.filter(({ type }) => type === 'records').map((event) => JSON.stringify(event));
    expect([...new Set(named)]).toHaveLength(2);
    const note = { recordId: '1', title: 'Late', content: 'They wait.' };
    const write = (collectionName: string) =>
      platform.call('POST', '/v1/project/shop/environment/development/notes', { ...note, collectionName });
    expect([(await write('secrets')).status, (await write('orders')).status]).toEqual([201, 201]);
    await expect.poll(() => ofBob.heard.slice(2)).toEqual([{ type: 'note', collection: 'orders' }]);
    // Rights that are taken away are gone at once.
    const less = { roles: { ...document.roles, Support: { collections: {} } } };
    await platform.call('PUT', '/api/rights', { document: less, base: 1, allowLockout: true });
    await expect.poll(() => ofBob.heard.at(-1)).toEqual({ type: 'rights' });
    const before = ofAda.heard.length;
    await report(activity());
    await expect.poll(() => ofAda.heard.slice(before), { timeout: 5_000 }).toContainEqual(orders);
    expect(ofBob.heard.filter(({ type }) => type === 'records')).toHaveLength(2);
  });

  it('end when the platform stops', async () => {
    const platform = await startTeamPlatform();
    const browser = openConsoleBrowser(platform);
    await signInToConsole(browser, platform, { token: platform.token });
    const { state } = await listen(browser);
    await platform.sandbox.stop();
    await expect.poll(() => state.isOver).toBe(true);
  });

  it('leave the log of a session to developers who ask for it, and keep 200 lines', async () => {
    const feed = createDevFeed();
    const platform = await startTeamPlatform({ devEvents: feed });
    await platform.join(bob, { level: 'user' });
    const browser = openConsoleBrowser(platform);
    await signInToConsole(browser, platform, { token: platform.token });
    for (let index = 0; index < 201; index += 1) {
      feed.note({ time: '2026-01-01T00:00:00.000Z', level: 'Warn', message: `GET ${index}`, facts: { status: 403 } });
    }
    const answer = await browser.ask('GET', '/api/dev/log');
    const { lines } = (await answer.json()) as DevLog;
    expect([lines.length, lines[0]?.message, lines.at(-1)?.facts]).toEqual([200, 'GET 1', { status: 403 }]);
    expect((await (await consoleBrowserOf(platform, bob)).ask('GET', '/api/dev/log')).status).toBe(403);

    const plain = await startTeamPlatform();
    const other = openConsoleBrowser(plain);
    await signInToConsole(other, plain, { token: plain.token });
    expect(await (await other.ask('GET', '/api/dev/log')).json()).toEqual({ lines: [] });
  });

  it('say what stands in the way to developers, and look once for all who ask at the same time', async () => {
    let looks = 0;
    const check = { name: 'clock', status: 'warning', message: 'It is late.', nextSteps: ['Set it.'] } as const;
    const both = Promise.withResolvers<void>();
    const examine = async () => {
      looks += 1;
      await both.promise;
      return [check];
    };
    let asking = 0;
    class Watched extends TestTraffic {
      override watch(server: FastifyInstance): void {
        super.watch(server);
        server.addHook('preHandler', async ({ url }) => {
          if (url === '/api/checks') asking += 1;
          // The second request is with its route then.
          if (asking === 2) setImmediate(both.resolve);
        });
      }
    }
    const platform = await startTeamPlatform({ examine, traffic: new Watched() });
    await platform.join(bob, { level: 'user' });
    const browser = openConsoleBrowser(platform);
    await signInToConsole(browser, platform, { token: platform.token });
    const asked = [browser.ask('GET', '/api/checks'), browser.ask('GET', '/api/checks')];
    const [first, second] = await Promise.all(asked.map(async (answer) => (await answer).json()));
    expect(first).toEqual({ checks: [check], lookedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect([second, looks]).toEqual([first, 1]);
    expect((await (await consoleBrowserOf(platform, bob)).ask('GET', '/api/checks')).status).toBe(403);
  });

  it('tell developers what their session says: with the frame of an error, until a save loads', async () => {
    const feed = createDevFeed();
    const platform = await startTeamPlatform({ devEvents: feed });
    await platform.join(bob, { level: 'user' });
    const browser = openConsoleBrowser(platform);
    await signInToConsole(browser, platform, { token: platform.token });
    const early = await listen(browser);
    const user = await listen(await consoleBrowserOf(platform, bob));
    const error = cloudError('CUSTOMIZATION_FAILED', 'The code threw.', 'Correct it.', {
      location: { file: 'src/index.ts', line: 3, column: 1, frame: '> 3 | throw' },
    });
    feed.tell({ event: 'log', level: 'Info', time: '', message: 'secret', facts: {} } as never);
    feed.tell({ event: 'error', error, serves: 'last-good' });
    feed.tell({ event: 'types', errors: [] });
    const shown = {
      type: 'dev',
      event: {
        event: 'error',
        serves: 'last-good',
        error: expect.objectContaining({
          code: 'CUSTOMIZATION_FAILED',
          message: 'The code threw.',
          location: expect.objectContaining({ frame: '> 3 | throw' }),
        }),
      },
    };
    const types = { type: 'dev', event: { event: 'types', errors: [] } };
    await expect.poll(() => early.heard).toEqual([shown, types]);
    // A page that opens now hears it as well.
    const late = await listen(browser);
    await expect.poll(() => late.heard).toEqual([shown, types]);
    feed.tell({ event: 'reloaded', ms: 12 });
    await expect.poll(() => late.heard.at(-1)).toEqual({ type: 'dev', event: { event: 'reloaded', ms: 12 } });
    const last = await listen(browser);
    await expect.poll(() => last.heard).toEqual([types]);
    expect(user.heard).toEqual([]);
  });
});
