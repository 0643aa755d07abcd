import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ReverseProxy } from '#kernel/ports/reverse-proxy';
import { openReverseProxy } from '#node/http/reverse-proxy';
import type { HttpListener } from '../../../helpers/http-server.ts';

const lostAnswer = { lost: true };

async function openProxy(): Promise<ReverseProxy> {
  const proxy = await openReverseProxy({ host: '127.0.0.1', port: { port: 0, isExact: false }, lostAnswer });
  onTestFinished(() => proxy.stop(0));
  return proxy;
}

/** The port of a server. */
async function listen(answer: HttpListener): Promise<number> {
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('The server has no port.');
  return address.port;
}

const ask = (proxy: ReverseProxy, options: RequestInit = {}) => fetch(`http://127.0.0.1:${proxy.port}/a?b=c`, options);

describe('a reverse proxy', () => {
  it('carries requests and answers as they are', async () => {
    const proxy = await openProxy();
    const port = await listen(async (asked, answer) => {
      const seen = { method: asked.method, url: asked.url, headers: asked.rawHeaders, body: await text(asked) };
      answer.writeHead(
        201,
        'Made',
        [
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
          ['X-Own', 'yes'],
        ].flat(),
      );
      answer.end(JSON.stringify(seen));
    });
    proxy.handTo(port);
    const answer = await ask(proxy, { method: 'PUT', body: 'words', headers: { 'X-Mine': 'one' } });
    expect([answer.status, answer.statusText, answer.headers.get('x-own')]).toEqual([201, 'Made', 'yes']);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const seen = (await answer.json()) as { headers: string[] };
    expect(seen).toMatchObject({ method: 'PUT', url: '/a?b=c', body: 'words' });
    expect(seen.headers.join(' ').toLowerCase()).toContain(`host 127.0.0.1:${proxy.port}`);
    expect(seen.headers.join(' ').toLowerCase()).toContain('x-mine one');
  });

  it('sends a GET that an outdated server cannot answer to its successor, and answers all else once that one serves', async () => {
    const isOutdated = (body: string) => body === 'outdated';
    const proxy = await openReverseProxy({
      host: '127.0.0.1',
      port: { port: 0, isExact: false },
      lostAnswer,
      isOutdated,
    });
    onTestFinished(() => proxy.stop(0));
    const texts = { GET: 'outdated', POST: 'outdated', DELETE: 'busy' } as const;
    const statusOf = (method: keyof typeof texts) => ask(proxy, { method, headers: { 'x-method': method } });
    const asked: string[] = [];
    const answering: RequestListener = ({ method = '' }, answer) => {
      asked.push(method);
      answer.writeHead(503, { 'retry-after': '7' }).end(texts[method as keyof typeof texts]);
    };
    const before = proxy.handTo(await listen(answering));
    let answered = 0;
    const [got, posting] = [statusOf('GET'), statusOf('POST').finally(() => answered++)];
    const removed = await statusOf('DELETE');
    expect([removed.status, await removed.text()]).toEqual([503, 'busy']);
    await expect.poll(() => asked.toSorted()).toEqual(['DELETE', 'GET', 'POST']);
    // The request no longer counts there.
    await before.whenIdle();
    expect(answered).toBe(0);
    proxy.handTo(await listen((_asked, answer) => answer.end('new')));
    const posted = await posting;
    expect([posted.status, await posted.text(), posted.headers.get('retry-after')]).toEqual([503, 'outdated', '7']);
    expect([(await got).status, await (await got).text()]).toEqual([200, 'new']);
  });

  it('hands out a stream as it comes', async () => {
    const proxy = await openProxy();
    let end: () => void = () => undefined;
    proxy.handTo(
      await listen((_asked, answer) => {
        answer.writeHead(200, { 'content-type': 'text/event-stream' });
        answer.write('first');
        end = () => answer.end();
      }),
    );
    const { body } = await ask(proxy);
    const reader = body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
    end();
    expect((await reader?.read())?.done).toBe(true);
  });

  it('lets requests wait while there is no server', async () => {
    const proxy = await openProxy();
    const answers = Promise.all([ask(proxy), ask(proxy)]);
    proxy.handTo(await listen((_asked, answer) => answer.end('here')));
    expect(await Promise.all((await answers).map((answer) => answer.text()))).toEqual(['here', 'here']);
  });

  it('answers 503 for what was in flight in a lost server, and hands what comes later to the next', async () => {
    const proxy = await openProxy();
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const lost = proxy.handTo(await listen(() => arrive()));
    const inFlight = ask(proxy);
    await arrived;
    lost.lose();
    const answer = await inFlight;
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([503, '1', lostAnswer]);
    const later = ask(proxy);
    proxy.handTo(await listen((_asked, response) => response.end('next')));
    expect(await (await later).text()).toBe('next');
  });

  it('keeps requests in flight at the server before, and tells when it is idle', async () => {
    const proxy = await openProxy();
    let arrive: (answer: ServerResponse) => void = () => undefined;
    const arrived = new Promise<ServerResponse>((resolve) => {
      arrive = resolve;
    });
    const before = proxy.handTo(await listen((_asked, answer) => arrive(answer)));
    const inFlight = ask(proxy);
    const unanswered = await arrived;
    proxy.handTo(await listen((_asked, answer) => answer.end('after')));
    expect(await (await ask(proxy)).text()).toBe('after');
    const idle = before.whenIdle().then(() => 'idle');
    unanswered.end('before');
    expect(await (await inFlight).text()).toBe('before');
    expect(await idle).toBe('idle');
  });

  it('cuts the connection where an answer has begun', async () => {
    const proxy = await openProxy();
    const lost = proxy.handTo(
      await listen((_asked, answer) => {
        answer.writeHead(200);
        answer.write('half');
      }),
    );
    const answer = await ask(proxy);
    lost.lose();
    await expect(answer.text()).rejects.toThrow();
  });

  it('tells the server when a client goes away', async () => {
    const proxy = await openProxy();
    let arrive: (asked: IncomingMessage) => void = () => undefined;
    const arrived = new Promise<IncomingMessage>((resolve) => {
      arrive = resolve;
    });
    proxy.handTo(await listen((asked) => arrive(asked)));
    const client = httpRequest({ host: '127.0.0.1', port: proxy.port }).on('error', () => undefined);
    client.end();
    const gone = once((await arrived).socket, 'close');
    client.destroy();
    await gone;
  });

  it('refuses what waits when it stops', async () => {
    const proxy = await openProxy();
    const socket = connect(proxy.port, '127.0.0.1').setEncoding('utf8');
    const heard = async () => String(await once(socket, 'data'));
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n');
    // The request has come.
    expect(await heard()).toContain('100 Continue');
    const answer = heard();
    await proxy.stop(1_000);
    expect(await answer).toContain('503');
  });
});
