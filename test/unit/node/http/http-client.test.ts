import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttp, type HttpOptions } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { freePort } from '../../../helpers/free-port.ts';
import { startHttpServer } from '../../../helpers/http-server.ts';

function client(options: Partial<HttpOptions> = {}) {
  const http = createHttp({ clock: systemClock, random: systemRandom, ...options });
  onTestFinished(() => http.close());
  return http;
}

async function serve(listener: RequestListener): Promise<string> {
  return (await startHttpServer(listener)).origin;
}

describe('the HTTP client', () => {
  it('gives status, headers and bytes of any answer', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(418, { 'x-a': ['1', '2'] }).end(Buffer.from([0, 255]));
    });
    const response = await client().send({ method: 'GET', url });
    expect(response).toMatchObject({ status: 418, headers: { 'x-a': '1, 2' } });
    expect([...response.body]).toEqual([0, 255]);
  });

  it('follows no redirect', async () => {
    const paths: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect((await client().send({ method: 'GET', url })).status).toBe(302);
    expect(paths).toEqual(['/']);
  });

  it('repeats a call that may be repeated until it is answered', async () => {
    const statuses = [503, 504, 200];
    const url = await serve((_request, response) => response.writeHead(statuses.shift() ?? 500).end());
    expect((await client().send({ method: 'GET', url, isRepeatable: true })).status).toBe(200);
    expect(statuses).toEqual([]);
  });

  it('does not repeat any other call', async () => {
    let calls = 0;
    const url = await serve((_request, response) => {
      calls += 1;
      response.writeHead(503).end();
    });
    expect((await client().send({ method: 'POST', url, body: 'x' })).status).toBe(503);
    expect(calls).toBe(1);
  });

  it('names the host of a server that is not there, without the rest of the address', async () => {
    const port = await freePort();
    const error = await client()
      .send({ method: 'GET', url: `http://127.0.0.1:${port}/path?token=hush` })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'PLATFORM_UNREACHABLE',
      message: `127.0.0.1:${port} cannot be reached: nothing listens there (ECONNREFUSED).`,
    });
    expect(JSON.stringify(error)).not.toContain('hush');
  });

  it('takes a refused connection for an answer after a second, whatever the deadline is', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    let now = 0;
    let pauses = 0;
    // Every look at the clock takes a tenth of a second, so that the test counts tries instead of waiting for them.
    const clock = { ...systemClock, monotonicMs: () => (now += 100) };
    const random = {
      ...systemRandom,
      hex: () => {
        pauses += 1;
        return '00000000';
      },
    };
    const sent = client({ clock, random }).send({ method: 'GET', url, isRepeatable: true, deadlineMs: 60_000 });
    await expect(sent).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE', safeDetails: { errno: 'ECONNREFUSED' } });
    expect(pauses).toBeGreaterThan(1);
    expect(now).toBeLessThan(1_500);
  });

  it('waits no longer than the deadline for a silent server, even when the call may be repeated', async () => {
    const { port } = await startHttpServer(() => undefined);
    await expect(
      client().send({ method: 'GET', url: `http://127.0.0.1:${port}`, deadlineMs: 150, isRepeatable: true }),
    ).rejects.toMatchObject({
      code: 'PLATFORM_TIMEOUT',
      message: `127.0.0.1:${port} did not answer a GET request within 0.15 s.`,
    });
  });

  it('gives up at the deadline when the body never ends', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200).write('begun');
    });
    await expect(client().send({ method: 'GET', url, deadlineMs: 150 })).rejects.toMatchObject({
      code: 'PLATFORM_TIMEOUT',
    });
  });

  it('gives up when the caller does', async () => {
    const arrived = Promise.withResolvers<void>();
    const url = await serve(() => arrived.resolve());
    const controller = new AbortController();
    const sending = client().send({ method: 'GET', url, signal: controller.signal, isRepeatable: true });
    await arrived.promise;
    controller.abort();
    await expect(sending).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  it('uses the proxy for other machines, and none for this machine', async () => {
    const seen: (string | undefined)[] = [];
    const proxy = await serve((request, response) => {
      seen.push(request.url);
      response.end('from the proxy');
    });
    const direct = await serve((_request, response) => response.end('direct'));
    const http = client({ httpProxy: proxy });
    const proxied = await http.send({ method: 'GET', url: 'http://platform.invalid/x' });
    expect(new TextDecoder().decode(proxied.body)).toBe('from the proxy');
    expect(seen).toEqual(['http://platform.invalid/x']);
    expect(new TextDecoder().decode((await http.send({ method: 'GET', url: direct })).body)).toBe('direct');
  });

  it('gives the proxy the user and the password of its address, and asks in vain with others', async () => {
    const wanted = `Basic ${Buffer.from('team:a/b@ü 1%').toString('base64')}`;
    const seen: (string | undefined)[] = [];
    const { port } = await startHttpServer((request, response) => {
      seen.push(request.headers['proxy-authorization']);
      if (request.headers['proxy-authorization'] === wanted) return response.end('from the proxy');
      return response.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' }).end();
    });
    const ask = (login: string) =>
      client({ httpProxy: `http://${login}127.0.0.1:${port}` }).send({
        method: 'GET',
        url: 'http://platform.invalid/',
      });
    const { status, body } = await ask('team:a%2Fb%40%C3%BC%201%25@');
    expect([status, new TextDecoder().decode(body)]).toEqual([200, 'from the proxy']);
    expect(seen).toEqual([wanted]);
    const refused = {
      code: 'PLATFORM_UNREACHABLE',
      message: expect.stringContaining(
        'platform.invalid cannot be reached: the proxy asks for another user or password',
      ),
    };
    await expect(ask('team:other@')).rejects.toMatchObject(refused);
    await expect(ask('')).rejects.toMatchObject(refused);
  });

  it.each([
    [407, 'the proxy asks for another user or password'],
    [502, 'the proxy answered 502'],
  ])('says what a proxy answers in place of a tunnel: %d', async (status, why) => {
    const proxy = createServer().on('connect', (_request, socket) => {
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const sent = client({ httpsProxy: `http://127.0.0.1:${port}` }).send({
      method: 'GET',
      url: 'https://far.invalid/',
    });
    await expect(sent).rejects.toMatchObject({
      code: 'PLATFORM_UNREACHABLE',
      message: expect.stringContaining(`far.invalid cannot be reached: ${why}`),
    });
  });

  it('uses no proxy for the hosts that need none', async () => {
    const proxy = await serve((_request, response) => response.end('from the proxy'));
    const { port } = new URL(await serve((_request, response) => response.end('direct')));
    // This address leads to this machine too, and is not one of the names that never need a proxy.
    const url = `http://0.0.0.0:${port}/`;
    const answerTo = async (noProxy: string) => {
      const { body } = await client({ httpProxy: proxy, noProxy }).send({ method: 'GET', url });
      return new TextDecoder().decode(body);
    };
    expect(await answerTo('other.example')).toBe('from the proxy');
    expect(await answerTo('other.example,0.0.0.0')).toBe('direct');
  });
});

describe('a request without a proxy', () => {
  it('goes over the connection of the one before', async () => {
    const sockets = new Set<unknown>();
    const url = await serve((request, response) => {
      sockets.add(request.socket);
      response.end();
    });
    const http = client();
    for (const method of ['GET', 'POST', 'DELETE'] as const) await http.send({ method, url });
    expect(sockets.size).toBe(1);
  });

  it('keeps the connections of many requests at once', async () => {
    const sockets = new Set<unknown>();
    const url = await serve((request, response) => {
      sockets.add(request.socket);
      response.end();
    });
    const http = client();
    const atOnce = 300;
    for (let round = 0; round < 2; round++) {
      await Promise.all(Array.from({ length: atOnce }, () => http.send({ method: 'GET', url })));
    }
    expect(sockets.size).toBe(atOnce);
  });

  it('sends what is given, and no user that is in the address', async () => {
    const url = await serve((request, response) => {
      const { method, headers } = request;
      const answer = [method, headers['authorization'] ?? null, headers['content-length'] ?? null, headers['x-b']];
      request.pipe(response.setHeader('x-a', JSON.stringify(answer)));
    });
    const address = new URL(url);
    address.username = 'ada';
    address.password = 'hush';
    const body = new TextEncoder().encode('äöü');
    const answer = await client().send({ method: 'DELETE', url: address.href, headers: { 'X-B': '1' }, body });
    expect(JSON.parse(answer.headers['x-a'] ?? '')).toEqual(['DELETE', null, '6', '1']);
    expect(new TextDecoder().decode(answer.body)).toBe('äöü');
  });

  it('says that a connection ended in the midst of an answer', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '9' }).write('begun');
      setImmediate(() => response.destroy());
    });
    await expect(client().send({ method: 'GET', url })).rejects.toMatchObject({
      code: 'PLATFORM_UNREACHABLE',
      message: expect.stringContaining('it closed the connection (ECONNRESET)'),
    });
  });

  it('is not tried again where it can never be sent', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests += 1;
      response.end();
    });
    const sent = client().send({ method: 'GET', url, headers: { 'x-a': '\n' }, isRepeatable: true });
    await expect(sent).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' });
    expect(requests).toBe(0);
  });

  it('ends with the client', async () => {
    const arrived = Promise.withResolvers<void>();
    const url = await serve(() => arrived.resolve());
    const http = client();
    const sending = http.send({ method: 'GET', url });
    await Promise.all([
      expect(sending).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' }),
      arrived.promise.then(() => http.close()),
    ]);
  });
});
