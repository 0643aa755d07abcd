import type { IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import type { PlatformCredentials } from '#platform-client/platform-transport';
import { startHttpServer } from '../../helpers/http-server.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A real server on loopback that gives the answers in turn, the last one again and again. */
async function platformAnswering(
  answers: readonly Answer[],
  credentials: PlatformCredentials = { envSecret: 's', userToken: 't' },
  basePath = '',
) {
  const received: Received[] = [];
  const { origin, port } = await startHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    const { status = 200, headers = {}, body = '' } = answers[Math.min(received.length, answers.length) - 1] ?? {};
    response.writeHead(status, headers).end(body);
  });
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  return {
    received,
    host: `127.0.0.1:${port}`,
    client: createPlatformClient({ serverUrl: origin + basePath, http, credentials }),
  };
}

const envelope = (error: Record<string, unknown>) =>
  JSON.stringify({ errors: [{ name: 'SomeError', status: 400, ...error }] });

describe('the platform client', () => {
  it('sends reports as one JSON document, whatever characters are in them', async () => {
    const { client, received } = await platformAnswering([{ status: 204 }]);
    const entries = [{ id: 1, label: 'Zahlung für Ł. ☃ 🙂' }, { id: 2 }];
    await client.reportActivities(entries.map((entry) => JSON.stringify(entry)));
    await client.reportActivities([]);
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([{ activities: entries }, { activities: [] }]);
    expect(received[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('sends the environment secret on the side of the agent and keeps the base path of the server', async () => {
    const { client, received } = await platformAnswering([{ body: 'true' }], { envSecret: 'secret' }, '/base/path');
    expect(await client.environmentPermissions()).toBe(true);
    expect(received[0]).toMatchObject({ method: 'GET', url: '/base/path/agent/v4/permissions/environment' });
    expect(received[0]?.headers['service-secret-key']).toBe('secret');
    expect(received[0]?.headers.authorization).toBeUndefined();
  });

  it('sends the token on the side of the person', async () => {
    const { client, received } = await platformAnswering([{ body: '{"versions":[],"nextBefore":null}' }]);
    await client.listVersions({ limit: 5, before: 12 });
    expect(received[0]?.url).toBe('/api/versions?limit=5&before=12');
    expect(received[0]?.headers.authorization).toBe('Bearer t');
    expect(received[0]?.headers['service-secret-key']).toBeUndefined();
  });

  it('says which credential is missing without sending anything', async () => {
    const { client, received } = await platformAnswering([{}], {});
    await expect(client.users()).rejects.toMatchObject({
      code: 'CREDENTIALS_MISSING',
      nextSteps: [expect.stringContaining('SERVICE_ENV_SECRET')],
    });
    await expect(client.me()).rejects.toMatchObject({
      code: 'CREDENTIALS_MISSING',
      nextSteps: [expect.stringContaining('SERVICE_AUTH_TOKEN')],
    });
    expect(received).toEqual([]);
  });

  it('refuses a token with a line break without quoting it', async () => {
    const { client } = await platformAnswering([{}], { userToken: 'abc\ndef' });
    const error = await client.me().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
    expect(String(error)).not.toContain('abc');
  });

  it.each([
    ['30', 'Wait 30 s, then try again.'],
    ['Thu, 01 Jan 2026 00:00:20 GMT', 'Wait until 2026-01-01T00:00:20.000Z, then try again.'],
    ['soon', 'Wait a moment, then try again.'],
  ])('says how long to wait where the server says so: %s', async (header, step) => {
    const { client } = await platformAnswering([{ status: 429, headers: { 'retry-after': header } }]);
    await expect(client.me()).rejects.toMatchObject({
      code: 'PLATFORM_BUSY',
      nextSteps: [step],
      safeDetails: { status: 429, ...(header === '30' && { retryAfterSeconds: 30 }) },
    });
  });

  const hex = 'a1'.repeat(32);
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJpZCI6MX0.c2ln';
  it.each([
    [{ userToken: hex }, 'an environment secret', 'SERVICE_AUTH_TOKEN'],
    [{ userToken: jwt }, 'a session token', 'SERVICE_AUTH_TOKEN'],
    [{ envSecret: `vcu_${hex}` }, 'the token of a person', 'SERVICE_ENV_SECRET'],
    [{ envSecret: 'svc_live_abc' }, 'an API token', 'SERVICE_ENV_SECRET'],
    [{ envSecret: jwt }, 'a session token', 'SERVICE_ENV_SECRET'],
  ])('refuses %j before it is sent, and does not repeat it', async (credentials, kind, variable) => {
    const { client, received } = await platformAnswering([{}], credentials);
    const call = 'userToken' in credentials ? client.me() : client.environment();
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'PLATFORM_UNAUTHENTICATED',
      message: expect.stringContaining(`looks like ${kind}`),
      nextSteps: [expect.stringContaining(variable)],
    });
    expect(JSON.stringify(error)).not.toContain(Object.values(credentials)[0]);
    expect(received).toEqual([]);
  });

  it.each([
    [401, 'PLATFORM_UNAUTHENTICATED'],
    [403, 'PLATFORM_REFUSED'],
    [404, 'PLATFORM_REFUSED'],
    [422, 'PLATFORM_REFUSED'],
    [413, 'BUNDLE_TOO_LARGE'],
    [429, 'PLATFORM_BUSY'],
    [302, 'PLATFORM_FAILED'],
    [500, 'PLATFORM_FAILED'],
  ])('gives a status of %i as %s, with the words of the server', async (status, code) => {
    const body = envelope({ status, detail: 'The berth is taken', nextSteps: ['Take another berth.'] });
    const { client, host } = await platformAnswering([{ status, body, headers: { location: 'http://127.0.0.1:1/' } }]);
    await expect(client.environment()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(new RegExp(`${host}.*: The berth is taken\\.$`)),
      nextSteps: ['Take another berth.'],
    });
  });

  it('tells a person of what is not there in a way of its own, and an agent as of any refusal', async () => {
    const named = { status: 404, body: envelope({ detail: 'There is no berth 7', code: 'REQUEST_NOT_FOUND' }) };
    const { client, host } = await platformAnswering([named]);
    await expect(client.me()).rejects.toMatchObject({
      code: 'REQUEST_NOT_FOUND',
      message: `The platform server at ${host} has no such thing: There is no berth 7.`,
    });
    await expect(client.environment()).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' });
    const ofPublicApi = await platformAnswering([{ status: 404, body: JSON.stringify({ detail: 'No berth.' }) }]);
    await expect(ofPublicApi.client.me()).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
  });

  it.each([
    ['no platform answers', '<html>Not Found</html>'],
    [
      'an older platform has no such route',
      envelope({ name: 'UnknownRouteError', code: 'REQUEST_NOT_FOUND', detail: 'x' }),
    ],
  ])('blames nobody who named something where %s', async (_, body) => {
    const { client } = await platformAnswering([{ status: 404, body }]);
    await expect(client.me()).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' });
  });

  it('gives a refusal without the error envelope by its status', async () => {
    const { client } = await platformAnswering([{ status: 403, body: '<html>proxy</html>' }]);
    const error = await client.environment().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PLATFORM_REFUSED', message: expect.stringContaining('status 403') });
    expect(String(error)).not.toContain('html');
  });

  it('takes only the codes it knows from a server', async () => {
    const { client } = await platformAnswering([
      { status: 400, body: envelope({ detail: 'x', code: 'INTERNAL_BUG' }) },
    ]);
    await expect(client.environment()).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' });
    const other = await platformAnswering([
      { status: 400, body: envelope({ detail: 'x', code: 'BUNDLE_DIGEST_MISMATCH' }) },
    ]);
    await expect(other.client.environment()).rejects.toMatchObject({ code: 'BUNDLE_DIGEST_MISMATCH' });
  });

  it.each(['<html>', '', '{"data":{}}'])(
    'gives an answer that is not the protocol (%j) as PLATFORM_FAILED',
    async (body) => {
      const { client } = await platformAnswering([{ body }]);
      await expect(client.environment()).rejects.toMatchObject({ code: 'PLATFORM_FAILED' });
    },
  );

  it('asks again when the server is overloaded for a moment', async () => {
    const { client, received } = await platformAnswering([
      { status: 503 },
      { status: 502 },
      { body: '{"sendSchema":true}' },
    ]);
    expect(await client.checkSchemaHash('h')).toEqual({ sendSchema: true });
    expect(received.map(({ body }) => body)).toEqual(Array(3).fill('{"schemaFileHash":"h"}'));
  });

  it('tells whether the bytes of a bundle were new', async () => {
    const { client, received } = await platformAnswering([{ status: 201 }, { status: 200 }]);
    expect(await client.uploadBundle('d'.repeat(64), Buffer.from('code'))).toEqual({ isNew: true });
    expect(await client.uploadBundle('d'.repeat(64), Buffer.from('code'))).toEqual({ isNew: false });
    expect(received[0]).toMatchObject({ method: 'PUT', url: `/api/bundles/${'d'.repeat(64)}`, body: 'code' });
  });

  it('refuses a bundle over the limit before it sends a byte', async () => {
    const { client, received } = await platformAnswering([{ status: 201 }]);
    await expect(client.uploadBundle('d'.repeat(64), new Uint8Array(20 * 1024 * 1024 + 1))).rejects.toMatchObject({
      code: 'BUNDLE_TOO_LARGE',
    });
    expect(received).toEqual([]);
  });
});
