import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { createBrowser } from '../helpers/browser.ts';
import { xsrfOf } from '../helpers/device-approval.ts';
import { startTeamPlatform } from '../helpers/team-server.ts';

const client_id = 'vendor-cloud';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';

/** A platform behind a proxy that tells where requests come from, and whose time passes when a test says so. */
async function startPlatform() {
  const time = { passed: 0 };
  const clock = { ...systemClock, now: () => systemClock.now() + time.passed };
  const { url } = await startTeamPlatform({ trustedProxies: ['127.0.0.1'] }, { clock });
  const post = async (path: string, form: Readonly<Record<string, string>>, from: string) => {
    const headers = { 'x-forwarded-for': from };
    const response = await fetch(url + path, { method: 'POST', headers, body: new URLSearchParams(form) });
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
  };
  const begin = (from = '203.0.113.7') => post('/oidc/device/auth', { client_id, scope: 'openid' }, from);
  const poll = (code: unknown) =>
    post('/oidc/token', { client_id, grant_type, device_code: String(code) }, '203.0.113.7');
  return { url, time, begin, poll };
}

describe('the codes of devices', () => {
  it('say how often a device asks', async () => {
    const { begin } = await startPlatform();
    expect(await begin()).toMatchObject({ status: 200, body: { interval: 5, device_code: expect.any(String) } });
  });

  it('are at most 30 for an address, and as many again later', async () => {
    const { begin, time } = await startPlatform();
    for (let count = 0; count < 30; count++) expect((await begin()).status).toBe(200);
    const refused = await begin();
    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect((await begin('203.0.113.8')).status).toBe(200);
    time.passed += 600_000;
    expect((await begin()).status).toBe(200);
  });

  it('tell a device that asks too often to slow down, by five seconds each time', async () => {
    const { begin, poll, time } = await startPlatform();
    const code = (await begin()).body['device_code'];
    const asksAfter = async (seconds: number) => {
      time.passed += seconds * 1000;
      return (await poll(code)).body['error'];
    };
    expect(await asksAfter(0)).toBe('authorization_pending');
    expect(await asksAfter(5)).toBe('authorization_pending');
    expect(await asksAfter(1)).toBe('slow_down');
    expect(await asksAfter(5)).toBe('slow_down');
    expect(await asksAfter(15)).toBe('authorization_pending');
    const other = (await begin()).body['device_code'];
    expect((await poll(other)).body['error']).toBe('authorization_pending');
  });

  it('cannot be guessed: an address that enters ten wrong ones is refused, and others are not', async () => {
    const { url, time, begin } = await startPlatform();
    const right = String((await begin()).body['user_code']);
    const enter = async (user_code: string, from: string) => {
      const browser = createBrowser();
      const page = `${url}/oidc/device`;
      const headers = { 'x-forwarded-for': from, origin: url };
      const xsrf = xsrfOf(await (await browser.open(page, { headers })).text());
      const init = { method: 'POST', headers, body: new URLSearchParams({ xsrf, user_code }) };
      return (await browser.open(page, init)).text();
    };
    const guesser = '203.0.113.9';
    for (let count = 0; count < 9; count++) {
      expect(await enter('BBBB-BBBB', guesser)).toContain('This is not a code that can be entered now.');
    }
    expect(await enter(right, guesser)).toContain('shows the same code');
    await enter('BBBB-BBBB', guesser);
    expect(await enter(right, guesser)).toContain('Too many wrong codes were entered from your address.');
    expect(await enter(right, '203.0.113.10')).toContain('shows the same code');
    time.passed += 60_000;
    expect(await enter(right, guesser)).toContain('shows the same code');
  });
});
