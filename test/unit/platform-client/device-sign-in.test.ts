import { describe, expect, it, onTestFinished } from 'vitest';
import type { Http } from '#kernel/ports/http';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { beginDeviceSignIn } from '#platform-client/device-sign-in';
import { startHttpServer } from '../../helpers/http-server.ts';

type Step = 'openid-configuration' | 'device/auth' | 'token';

interface Behaviour {
  /** The step that is never answered. */
  readonly silent?: Step;
  /** How often the platform says that the person is not done. */
  readonly pending?: number;
  /** Seconds that the code lasts. */
  readonly lasts?: number;
}

/** A platform as slow as it is asked to be. */
async function startPlatform({ silent, pending = 0, lasts = 60 }: Behaviour): Promise<string> {
  let left = pending;
  const answers: Readonly<Record<Step, (issuer: string) => [number, unknown]>> = {
    'openid-configuration': (issuer) => [
      200,
      { issuer, token_endpoint: `${issuer}/token`, device_authorization_endpoint: `${issuer}/device/auth` },
    ],
    'device/auth': (issuer) => [
      200,
      {
        device_code: 'device',
        user_code: 'BCDF-GHJK',
        verification_uri: `${issuer}/device`,
        expires_in: lasts,
        interval: 0.1,
      },
    ],
    token: () => {
      left -= 1;
      return left >= 0
        ? [400, { error: 'authorization_pending' }]
        : [200, { access_token: 'access', token_type: 'bearer', expires_in: 60 }];
    },
  };
  const { origin } = await startHttpServer((request, response) => {
    const step = (Object.keys(answers) as Step[]).find((each) => request.url?.endsWith(`/${each}`));
    if (step === undefined || step === silent) return;
    const [status, body] = answers[step](`${origin}/oidc`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return origin;
}

/** The HTTP client of commands. A request has `usualMs` in place of the usual deadline, where it asks for no other one. */
function httpWith(usualMs: number, isMeant: (url: string) => boolean = () => true): Http {
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  return { send: (request) => http.send(isMeant(request.url) ? { deadlineMs: usualMs, ...request } : request) };
}

describe('a sign-in with a device code', () => {
  it.each<Step>(['openid-configuration', 'device/auth', 'token'])(
    'waits for no answer longer than for any other request: %s',
    async (silent) => {
      const url = await startPlatform({ silent });
      const http = httpWith(150, (asked) => asked.endsWith(silent));
      const signingIn = beginDeviceSignIn(url, http).then((signIn) => signIn.finished());
      await expect(signingIn).rejects.toMatchObject({
        code: 'PLATFORM_TIMEOUT',
        message: expect.stringContaining('within 0.15 s'),
      });
    },
  );

  it('waits for the person longer than for an answer', async () => {
    const url = await startPlatform({ pending: 12 });
    const http = httpWith(1_000, (asked) => asked.endsWith('/token'));
    const { userCode, finished } = await beginDeviceSignIn(url, http);
    const since = performance.now();
    expect([userCode, await finished()]).toEqual(['BCDF-GHJK', 'access']);
    expect(performance.now() - since).toBeGreaterThan(1_000);
  });

  it('waits for the person no longer than the code lasts', async () => {
    const url = await startPlatform({ pending: Number.POSITIVE_INFINITY, lasts: 1 });
    const { finished } = await beginDeviceSignIn(url, httpWith(10_000));
    await expect(finished()).rejects.toMatchObject({
      code: 'SIGN_IN_REFUSED',
      message: 'The code expired before anybody signed in with it.',
      details: { error: 'expired_token' },
    });
  });
});
