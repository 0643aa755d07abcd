import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PlatformEvent } from '#contracts/platform-events';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { followPlatformEvents } from '#platform-client/event-stream';
import type { EventStreamOptions } from '#platform-client/event-stream-options';
import { startHttpServer } from '../../helpers/http-server.ts';

const envSecret = 'a'.repeat(64);
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A platform that gives its answers one after the other, the last one again and again. */
async function platform(...answers: Answer[]): Promise<{ readonly requests: IncomingMessage[]; readonly url: string }> {
  const requests: IncomingMessage[] = [];
  const { origin } = await startHttpServer((request, response) => {
    if (request.method === 'POST') {
      response.writeHead(204).end();
      return;
    }
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    answer?.(request, response);
  });
  return { requests, url: `${origin}/base` };
}

const streaming =
  (...lines: string[]): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(lines.join('\n'));
  };
const ending =
  (...lines: string[]): Answer =>
  (request, response) => {
    streaming(...lines)(request, response);
    response.end();
  };
const refusing =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end('<html>no</html>');
const breaking: Answer = (_request, response) => {
  response.destroy();
};
const beat = ['event: heartbeat', 'data: 1', '', ''];

type Heard = PlatformEvent | 'connected' | 'resumed' | { readonly lost: string; readonly message: string };

/** Everything that is heard until `enough` says so. */
async function hear(
  url: string,
  enough: (heard: readonly Heard[]) => boolean,
  options: Partial<EventStreamOptions> = {},
) {
  const http = createHttp({ clock: systemClock, random: systemRandom });
  const heard: Heard[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const hearing = (what: Heard) => {
    heard.push(what);
    if (enough(heard)) resolve();
  };
  const subscription = followPlatformEvents(
    { serverUrl: url, envSecret, http, random: systemRandom, beatMs: 60, ...options },
    {
      connected: () => hearing('connected'),
      resumed: () => hearing('resumed'),
      received: hearing,
      disconnected: ({ code, message }) => hearing({ lost: code, message }),
    },
  );
  onTestFinished(async () => {
    await subscription.close();
    await http.close();
  });
  await promise;
  return { heard, subscription };
}

/** For what must not be taken for silence on a busy machine. */
const patient = { beatMs: 10_000 };
const atLeast = (count: number) => (heard: readonly Heard[]) => heard.length >= count;
const connectedAgain = (heard: readonly Heard[]) => heard.filter((what) => what === 'connected').length === 2;

const numbered = (id: number, name = 'heartbeat') => [`id: ${id}`, `event: ${name}`, 'data: 1', '', ''];

describe('events that are numbered', () => {
  it('are asked for from the last one on, so that a listener misses none', async () => {
    const { requests, url } = await platform(
      ending(...numbered(7), ...numbered(8, 'refresh-users')),
      streaming(...numbered(8), ...numbered(9, 'refresh-roles')),
    );
    const { heard } = await hear(url, (all) => all.length >= 7, patient);
    expect(heard.filter((what) => typeof what === 'string')).toEqual(['connected', 'resumed']);
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '8']);
    expect(new Set(requests.map(({ headers }) => headers['service-agent-id'])).size).toBe(1);
  });

  it('are acknowledged when the listener has heard them', async () => {
    const bodies: unknown[] = [];
    const acknowledged = Promise.withResolvers<void>();
    const { origin } = await startHttpServer((request, response) => {
      if (request.method === 'GET') {
        streaming(...numbered(1), ...numbered(2, 'refresh-users'), ...numbered(3, 'refresh-roles'))(request, response);
        return;
      }
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        response.writeHead(204).end();
        const ack = JSON.parse(text);
        bodies.push(ack);
        if (ack.id === 3) acknowledged.resolve();
      });
    });
    await hear(origin, (all) => all.length === 4);
    await acknowledged.promise;
    expect(bodies.at(-1)).toEqual({ agent: expect.stringMatching(/^[0-9a-f-]{36}$/), id: 3 });
  });
});

describe('the events of the platform', () => {
  it('are heard with the secret in the header, in order', async () => {
    const { url, requests } = await platform(
      streaming(
        ...beat,
        ...['event: refresh-users', 'data: 1', '', 'event: refresh-roles', 'data: {}', ''],
        ...['event: refresh-renderings', 'data: {"renderingIds":', 'data: ["13",24]}', ''],
        ...['event: refresh-customizations', 'data: 1', '', 'event: unheard-of', 'data: 1', '', ...beat],
      ),
    );
    const { heard } = await hear(url, atLeast(7), patient);
    expect(heard).toEqual([
      'connected',
      { name: 'heartbeat' },
      { name: 'refresh-users' },
      { name: 'refresh-roles' },
      { name: 'refresh-renderings', renderingIds: [13, 24] },
      { name: 'refresh-customizations' },
      { name: 'heartbeat' },
    ]);
    expect(requests[0]).toMatchObject({
      url: '/base/agent/v4/subscribe-to-events',
      headers: { 'service-secret-key': envSecret, accept: 'text/event-stream' },
    });
  });

  it.each(['', '{', '{"renderingIds":["x"]}', 'null'])(
    'concern all renderings where it is not clear which: %j',
    async (data) => {
      const { url } = await platform(streaming('event: refresh-renderings', `data: ${data}`, '', ''));
      const { heard } = await hear(url, atLeast(2), patient);
      expect(heard[1]).toEqual({ name: 'refresh-renderings', renderingIds: undefined });
    },
  );

  it.each([
    ['ends', ending(...beat)],
    ['breaks', breaking],
    ['is silent', streaming('')],
    ['falls silent', streaming(...beat)],
    ['is not a stream', refusing(200, { 'content-type': 'text/html' })],
    ['sends more than any event holds', streaming(`data: ${'x'.repeat(1_100_000)}`)],
  ] as const)('are listened to again when the connection %s', async (_how, first) => {
    const { url } = await platform(first, streaming(...beat));
    const { heard } = await hear(url, (so) => so.at(-1) === 'connected' && so.length > 1);
    expect(heard).toContainEqual(expect.objectContaining({ lost: expect.stringMatching(/^PLATFORM_/) }));
  });

  it.each([401, 403, 404, 429, 500, 502, 503, 504])('are asked for again after %d, without end', async (status) => {
    const { url } = await platform(refusing(status), refusing(status), streaming(...beat));
    const { heard } = await hear(url, (so) => so.includes('connected'));
    expect(heard.filter((what) => typeof what === 'object' && 'lost' in what)).toHaveLength(2);
  });

  it('are not asked for sooner than the platform wants', async () => {
    const { url } = await platform(refusing(429, { 'retry-after': '1' }), streaming(...beat));
    const startedAt = performance.now();
    await hear(url, (so) => so.includes('connected'), { beatMs: 200 });
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    const other = await platform(ending('retry: 500', ...beat), streaming(...beat));
    await hear(other.url, connectedAgain);
  });

  it('never take the secret to another place', async () => {
    const elsewhere = await platform(streaming(...beat));
    const { url } = await platform(
      refusing(307, { location: elsewhere.url }),
      refusing(302, { location: elsewhere.url }),
      streaming(...beat),
    );
    await hear(url, (so) => so.includes('connected'));
    expect(elsewhere.requests).toEqual([]);
  });

  it('are not listened to after the end of the subscription', async () => {
    const { url, requests } = await platform(streaming(...beat));
    const { heard, subscription } = await hear(url, atLeast(2), patient);
    const closed = once(requests[0]?.socket as never, 'close');
    subscription.close();
    subscription.close();
    await closed;
    expect(heard).toHaveLength(2);
    expect(requests).toHaveLength(1);
  });

  it.each<[string, Partial<EventStreamOptions>, string]>([
    [
      'an address that would send the secret in the open',
      { serverUrl: 'http://platform.example' },
      'PLATFORM_ADDRESS_INVALID',
    ],
    ['a secret that is not one', { envSecret: 'a\nb' }, 'PLATFORM_UNAUTHENTICATED'],
    ['nobody there', { serverUrl: 'http://127.0.0.1:9' }, 'PLATFORM_UNREACHABLE'],
  ])('are not to be had with %s, which is reported', async (_what, options, lost) => {
    const { heard } = await hear('http://127.0.0.1:9', atLeast(1), options);
    expect(heard[0]).toMatchObject({ lost });
    expect(JSON.stringify(heard)).not.toContain(envSecret);
  });
});
