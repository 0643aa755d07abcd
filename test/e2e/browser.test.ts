import { expect, it } from 'vitest';
import { authorizationUrl } from '../helpers/agent-authorization.ts';
import { describeInChromium } from '../helpers/chromium.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import {
  expectLabels,
  expectProblem,
  fillIn,
  hasFocus,
  pressEnter,
  tabTo,
  typeFirst,
  untilFocused,
} from '../helpers/keyboard.ts';
import { password, startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';
import { startTeamPlatform as startNewPlatform } from '../helpers/team-server.ts';

const bob = 'bob@example.test';

/** A platform, and an agent that sends browsers to it and welcomes them back. */
async function startSignIn(change: (platform: TeamPlatform) => Promise<void> = async () => undefined) {
  const platform = await startTeamPlatform();
  await change(platform);
  const agent = await startHttpServer((_request, response) => response.end('back'));
  const callback = `${agent.origin}/service/authentication/callback`;
  return { platform, callback };
}

describeInChromium('a page of the platform in Chromium', (openPage) => {
  it.each([true, false])(
    'sets the platform up with the keyboard (JavaScript: %s)',
    { tags: 'long' },
    async (javaScriptEnabled) => {
      const platform = await startNewPlatform();
      const { secret = '' } = (await platform.makeSetupLink()) ?? {};
      const { page, complaints } = await openPage({ javaScriptEnabled });
      await page.goto(`${platform.url}/setup#${secret}`);
      await expectLabels(page);
      const code = javaScriptEnabled ? {} : { 'Code of the link': secret };
      const own = { 'Your name': 'Ada Lovelace', 'Your e-mail': 'ada@example' };
      await fillIn(page, { ...code, ...own, 'Name of the first project': 'shop', Password: password });
      await expectProblem(page, 'Your e-mail: ');
      expect(await page.getByLabel('Your e-mail').getAttribute('aria-invalid')).toBe('true');
      await fillIn(page, { 'Your e-mail': 'ada@example.test', Password: 'ada@example.test' });
      await expectProblem(page, 'The password is the e-mail address.');
      expect(await page.locator('[aria-invalid]').count()).toBe(0);
      expect(await page.getByLabel('Your name').inputValue()).toBe('Ada Lovelace');
      await fillIn(page, { Password: password });
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('The platform is set up');
      const secrets = await page.locator('dd code').allInnerTexts();
      expect(secrets).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f]{64}$/)));
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(javaScriptEnabled ? 8 : 0);
      expect(await page.locator('ol').innerText()).toContain(`vendor-cloud link --to ${platform.url}`);
      expect(page.url()).not.toContain(secret);
      expect(complaints).toEqual([]);
    },
  );

  it.each([
    ['copies it', true],
    ['selects it where the browser gives no clipboard', false],
  ])('has a button for each secret, which %s', async (_what, hasClipboard) => {
    const platform = await startNewPlatform();
    const { secret = '' } = (await platform.makeSetupLink()) ?? {};
    const { page, complaints } = await openPage();
    if (hasClipboard) await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    else await page.addInitScript('Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await page.goto(`${platform.url}/setup#${secret}`);
    const own = { 'Your name': 'Ada Lovelace', 'Your e-mail': 'ada@example.test' };
    await fillIn(page, { ...own, 'Name of the first project': 'shop', Password: password });
    const shown = await page.locator('#secret-staging').innerText();
    await page.getByRole('button', { name: 'Copy the secret of staging' }).click();
    const button = page.getByRole('button', { name: 'the secret of staging' });
    const read = hasClipboard ? 'navigator.clipboard.readText()' : 'getSelection().toString()';
    await expect.poll(() => button.innerText()).toMatch(hasClipboard ? /^Copied$/ : /^Selected/);
    expect(await page.evaluate(read)).toBe(shown);
    expect(await page.locator('[aria-live]').innerText()).toContain('the secret of staging');
    expect(complaints).toEqual([]);
  });

  it.each([true, false])('joins a project with the keyboard (JavaScript: %s)', async (javaScriptEnabled) => {
    const { platform } = await startSignIn();
    const secret = await platform.invite(bob);
    const { page, complaints } = await openPage({ javaScriptEnabled });
    await page.goto(`${platform.url}/join#${secret}`);
    await expectLabels(page);
    expect(await page.getByLabel('Code of the link').isVisible()).toBe(!javaScriptEnabled);
    const code = javaScriptEnabled ? {} : { 'Code of the link': secret };
    await fillIn(page, { ...code, 'First name': 'Bob', 'Last name': 'Example', Password: bob });
    await expectProblem(page, 'The password is the e-mail address.');
    expect(await page.getByLabel('Code of the link').isVisible()).toBe(!javaScriptEnabled);
    await fillIn(page, { Password: password });
    expect(await page.getByRole('heading').innerText()).toBe('You have joined');
    const next = await page.getByRole('link', { name: 'Open the console' }).getAttribute('href');
    expect(next).toBe(`/console/sign-in?${new URLSearchParams({ email: bob })}`);
    expect(complaints).toEqual([]);
  });

  it('asks for the code of a link that was cut off', async () => {
    const { platform } = await startSignIn();
    const secret = await platform.invite(bob);
    const { page, complaints } = await openPage();
    await page.goto(`${platform.url}/join#${secret.slice(0, 60)}`);
    const code = page.getByLabel('Code of the link');
    expect([await code.isVisible(), await code.inputValue()]).toEqual([true, secret.slice(0, 60)]);
    await page.goto(`${platform.url}/join`);
    expect(await code.isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it.each([true, false])('signs in with the keyboard (JavaScript: %s)', async (javaScriptEnabled) => {
    const { platform, callback } = await startSignIn(async ({ join }) => void (await join(bob)));
    const { page, complaints } = await openPage({ javaScriptEnabled });
    await page.goto(await authorizationUrl(platform, callback));
    await expectLabels(page);
    await untilFocused(page);
    expect(await hasFocus(page, page.getByLabel('E-mail'))).toBe(true);
    await typeFirst(page, bob);
    await fillIn(page, { Password: 'wrong' });
    await expectProblem(page, 'The e-mail or the password is wrong');
    expect(await page.getByLabel('E-mail').inputValue()).toBe(bob);
    await fillIn(page, { Password: password });
    expect(page.url()).toMatch(new RegExp(`^${callback}\\?code=.*state=s`));
    expect(complaints).toEqual([]);
  });

  it('signs in with a token, which the keyboard reaches too', async () => {
    const { platform, callback } = await startSignIn();
    const { page, complaints } = await openPage();
    await page.goto(await authorizationUrl(platform, callback));
    await tabTo(page, page.locator('summary'));
    await page.keyboard.press('Enter');
    await fillIn(page, { 'Your token of this platform': 'nonsense' });
    await expectProblem(page, 'That is not a token of this platform');
    await fillIn(page, { 'Your token of this platform': platform.token });
    expect(page.url()).toMatch(new RegExp(`^${callback}\\?code=`));
    expect(complaints).toEqual([]);
  });

  it('asks once for another environment, and takes a no', async () => {
    const { platform, callback } = await startSignIn(async ({ join }) => void (await join(bob)));
    const { page, complaints } = await openPage();
    await page.goto(await authorizationUrl(platform, callback));
    await typeFirst(page, bob);
    await fillIn(page, { Password: password });
    const made = await platform.call('POST', '/api/environments', { name: 'staging', type: 'production' });
    const staging = { ...platform, envSecret: (made.body as { readonly secret: string }).secret };
    await page.goto(await authorizationUrl(staging, callback));
    await expectLabels(page);
    expect(await page.locator('main').innerText()).toContain('The environment staging of shop');
    await tabTo(page, page.getByRole('button', { name: 'Cancel' }));
    await pressEnter(page);
    expect(page.url()).toContain(`${callback}?error=access_denied`);
    await page.goto(await authorizationUrl(staging, callback));
    // "Continue" has the focus.
    await pressEnter(page);
    expect(page.url()).toMatch(new RegExp(`^${callback}\\?code=`));
    expect(complaints).toEqual([]);
  });

  it('connects the command line, and signs out', async () => {
    const { platform } = await startSignIn(async ({ join }) => void (await join(bob)));
    const begun = await fetch(`${platform.url}/oidc/device/auth`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'vendor-cloud', scope: 'openid' }),
    });
    const { user_code, verification_uri } = (await begun.json()) as Record<string, string>;
    const { page, complaints } = await openPage();
    await page.goto(verification_uri ?? '');
    await expectLabels(page);
    await typeFirst(page, 'WRONG');
    await pressEnter(page);
    await expectProblem(page, 'code');
    await fillIn(page, { Code: user_code ?? '' });
    await expectLabels(page);
    expect(await page.locator('main').innerText()).toContain(user_code ?? 'the code');
    await pressEnter(page);
    await typeFirst(page, bob);
    await fillIn(page, { Password: password });
    expect(await page.getByRole('heading').innerText()).toBe('You are signed in');

    await page.goto(`${platform.url}/oidc/session/end`);
    await expectLabels(page);
    await pressEnter(page);
    expect(await page.getByRole('heading').innerText()).toBe('You are signed out');
    expect(complaints).toEqual([]);
  });
});
