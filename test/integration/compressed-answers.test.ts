import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startTeamPlatform } from '../helpers/team-platform.ts';

/** As it is on the wire, which `fetch` unpacks. */
async function read(url: string, headers: Readonly<Record<string, string>>) {
  const sent = request(url, { headers });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) };
}

describe('an answer of the platform', () => {
  it('is compressed above 1 kB for a client that takes it, and for no other', async () => {
    const { url } = await startTeamPlatform();
    const document = `${url}/openapi.json`;
    const plain = await read(document, {});
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const packed = await read(document, { 'accept-encoding': 'gzip, br' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(brotliDecompressSync(packed.bytes).equals(plain.bytes)).toBe(true);
    const zipped = await read(document, { 'accept-encoding': 'gzip, br;q=0' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 4);
  });

  it('is as it is where it is short, where it answers a change, and where it is a log', async () => {
    const platform = await startTeamPlatform();
    const own = { authorization: `Bearer ${platform.token}`, 'accept-encoding': 'br' };
    for (const path of ['/api/environments', '/api/logs', '/health']) {
      expect((await read(platform.url + path, own)).headers, path).not.toHaveProperty('content-encoding');
    }
    expect((await read(`${platform.url}/api/logs`, own)).headers).not.toHaveProperty('etag');
  });

  it('is not sent again to who has it', async () => {
    const platform = await startTeamPlatform();
    const own = { authorization: `Bearer ${platform.token}` };
    const first = await read(`${platform.url}/api/me`, own);
    const { etag = '' } = first.headers;
    const again = await read(`${platform.url}/api/me`, { ...own, 'if-none-match': `"x", ${etag}` });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    await platform.call('PATCH', `/api/people/${platform.adaId}`, { team: 'Operations' });
    await platform.call('POST', '/api/environments', { name: 'staging', type: 'development' });
    const changed = await read(`${platform.url}/api/me`, { ...own, 'if-none-match': etag });
    expect([changed.status, changed.headers.etag === etag]).toEqual([200, false]);
  });
});
