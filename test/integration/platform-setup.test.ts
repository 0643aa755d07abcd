import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { createPasswordHashes } from '#platform/passwords/password-hash';
import { createPasswordRepository } from '#platform/passwords/password-repository';
import { openStore } from '#platform/store/open-store';
import { adminLog } from '../helpers/admin-log.ts';
import { firstAdministrator, postSetup, setUp, startTeamPlatform } from '../helpers/team-server.ts';

describe('the setup link of a platform', () => {
  it('makes an administrator, a project and its environments, once', async () => {
    const platform = await startTeamPlatform();
    const { secret } = (await platform.makeSetupLink()) ?? {};
    const response = await postSetup(platform.url, { secret, ...firstAdministrator });
    expect(response.status).toBe(201);
    const result = (await response.json()) as Awaited<ReturnType<typeof setUp>>;
    expect(result).toMatchObject({
      user: { name: 'Ada Lovelace', email: 'ada@example.test' },
      project: { name: 'shop' },
      environments: [
        { name: 'development', type: 'development' },
        { name: 'staging', type: 'production' },
        { name: 'production', type: 'production' },
      ],
    });
    const again = await postSetup(platform.url, { secret, ...firstAdministrator, email: 'eve@example.test' });
    expect([again.status, await again.text()]).toEqual([403, expect.stringContaining('used already')]);
    expect(await platform.makeSetupLink()).toBeUndefined();
  });

  it('gives secrets and a token that work, and rights that differ by the type of the environment', async () => {
    const platform = await startTeamPlatform();
    const { environments, userToken } = await setUp(platform);
    const me = await fetch(`${platform.url}/api/me`, { headers: { authorization: `Bearer ${userToken}` } });
    expect(await me.json()).toMatchObject({ project: 'shop', environment: 'development' });
    const rights = await Promise.all(
      environments.map(async ({ secret }) => {
        const headers = { 'service-secret-key': secret };
        return (await fetch(`${platform.url}/agent/v4/permissions/environment`, { headers })).json();
      }),
    );
    expect(rights).toMatchObject([true, { collections: {} }, { collections: {} }]);
  });

  it('keeps the password and the secrets only as digests', async () => {
    const platform = await startTeamPlatform();
    const { user, environments, userToken } = await setUp(platform);
    await platform.stop();
    const store = await openStore(platform.options.store);
    try {
      const kept = await createPasswordRepository(store, systemClock, adminLog).findByEmail('ada@example.test');
      expect(kept?.userId).toBe(user.id);
      const hashes = createPasswordHashes();
      expect(await hashes.isPasswordOf(firstAdministrator.password, kept?.hash)).toBe(true);
      expect(await hashes.isPasswordOf(`${firstAdministrator.password} `, kept?.hash)).toBe(false);
      const rows = JSON.stringify([
        await store.db.selectFrom('passwords').selectAll().execute(),
        await store.db.selectFrom('environments').selectAll().execute(),
        await store.db.selectFrom('tokens').selectAll().execute(),
      ]);
      for (const secret of [firstAdministrator.password, userToken, ...environments.map((one) => one.secret)]) {
        expect(rows).not.toContain(secret);
      }
    } finally {
      await store.close();
    }
  });

  it('lets one of two requests in that come together', async () => {
    const platform = await startTeamPlatform();
    const { secret } = (await platform.makeSetupLink()) ?? {};
    const answers = await Promise.all(
      ['one', 'two'].map((name) =>
        postSetup(platform.url, { secret, ...firstAdministrator, email: `${name}@example.test` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
  });

  it('expires after an hour', async () => {
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const platform = await startTeamPlatform({}, { clock });
    const { secret } = (await platform.makeSetupLink()) ?? {};
    now += 61 * 60 * 1000;
    const late = await postSetup(platform.url, { secret, ...firstAdministrator });
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('Restart the platform')]);
    const { secret: newer } = (await platform.makeSetupLink()) ?? {};
    expect((await postSetup(platform.url, { secret: newer, ...firstAdministrator })).status).toBe(201);
  });

  it.each([
    ['a secret of another platform', { secret: 'f'.repeat(64) }, 403],
    ['no secret', { secret: '' }, 400],
    ['a short password', { password: 'short' }, 400],
    ['a password of 257 characters', { password: 'x'.repeat(257) }, 400],
    ['the e-mail as the password', { password: firstAdministrator.email.toUpperCase() }, 400],
    ['an address that is not one', { email: 'ada' }, 400],
    ['a name of blanks', { name: '   ' }, 400],
    ['a field too many', { level: 'admin' }, 400],
  ])('refuses %s', async (_what, change, status) => {
    const platform = await startTeamPlatform();
    const { secret } = (await platform.makeSetupLink()) ?? {};
    const response = await postSetup(platform.url, { secret, ...firstAdministrator, ...change });
    expect(response.status).toBe(status);
    expect((await postSetup(platform.url, { secret, ...firstAdministrator })).status).toBe(201);
  });

  it('opens a page that works without scripts, keeps what was typed, and shows the secrets once', async () => {
    const platform = await startTeamPlatform();
    const { secret } = (await platform.makeSetupLink()) ?? {};
    const setup = `${platform.url}/setup`;
    const page = await fetch(setup);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none';.*script-src 'self';.*frame-ancestors 'none'/);
    expect(policy).not.toContain('unsafe');
    expect(await page.text()).toContain('<script src="/setup.js" defer></script>');
    const send = (change: Readonly<Record<string, string>>) => {
      const form = { ...firstAdministrator, secret: ` ${setup}#${secret}`, ...change };
      return fetch(setup, { method: 'POST', headers: { origin: platform.url }, body: new URLSearchParams(form) });
    };
    const refused = await send({ password: firstAdministrator.email, project: 'shop & more' });
    const text = await refused.text();
    expect([refused.status, text]).toEqual([422, expect.stringContaining('The password is the e-mail address.')]);
    expect(text).toContain('value="shop &#38; more"');
    const done = await send({});
    const secrets = await done.text();
    expect([done.status, secrets]).toEqual([200, expect.stringContaining('<h1>The platform is set up</h1>')]);
    expect(secrets).toMatch(/<dt>production<\/dt><dd><code id="secret-production">[0-9a-f]{64}<\/code>/);
    expect(done.headers.get('cache-control')).toBe('no-store');
    expect((await send({})).status).toBe(422);
  });
});

describe('the local platform', () => {
  it('has no setup', async () => {
    const platform = await startTeamPlatform({}, { team: undefined as never });
    expect((await fetch(`${platform.url}/setup`)).status).toBe(404);
    expect((await fetch(`${platform.url}/metrics`)).status).toBe(404);
  });
});
