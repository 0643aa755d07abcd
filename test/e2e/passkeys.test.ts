import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Clock } from '#kernel/ports/clock';
import { systemClock } from '#node/system/system-clock';
import { describeInChromium } from '../helpers/chromium.ts';
import { freePort } from '../helpers/free-port.ts';
import { expectLabels, expectProblem } from '../helpers/keyboard.ts';
import { codeAt, factorPage } from '../helpers/second-factor.ts';
import { password, startTeamPlatform } from '../helpers/team-platform.ts';

const bob = 'bob@example.test';
const stepMs = 30_000;

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function signIn(page: Page, url: string) {
  await page.goto(url + factorPage);
  await page.getByLabel('E-mail').fill(bob);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Sign in');
}

async function signOut(page: Page) {
  await page.getByRole('link', { name: 'Sign out of the platform' }).click();
  await press(page, 'Sign out');
  await heading(page, 'You are signed out');
}

/** A passkey that Chromium keeps for itself, as that of a laptop with a fingerprint reader. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const device = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const;
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...device, isUserVerified: true, automaticPresenceSimulation: true },
  });
}

async function startDemanding(clock?: Clock) {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const platform = await startTeamPlatform({ port: { port, isExact: true }, publicUrl: url, ...(clock && { clock }) });
  await platform.call('PUT', '/api/rights', {
    document: { roles: { support: { collections: {} } } },
    base: 0,
    allowLockout: true,
  });
  const bobId = await platform.join(bob, { role: 'support' });
  await platform.call('PATCH', '/api/roles/support', { needsSecondFactor: true });
  return { platform, url, bobId };
}

describeInChromium('second factors in Chromium', (openPage) => {
  it('are set up by nobody who knows the password only, until an administrator asks the person to', async () => {
    let passedMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + passedMs };
    const { platform, url, bobId } = await startDemanding(clock);
    passedMs = 8 * 24 * 60 * 60_000;
    const { page } = await openPage();
    await addAuthenticator(page);
    await signIn(page, url);
    await heading(page, 'Ask an administrator');
    expect(await page.getByRole('button').count()).toBe(0);
    await platform.call('DELETE', `/api/people/${bobId}/factors`);
    await signIn(page, url);
    await heading(page, 'Set up a second factor');
    await press(page, 'Add a passkey');
    await heading(page, 'Your second factor is set up');
  });

  it('are a passkey, an app and a recovery code, each good for its sign-in', { tags: 'long' }, async () => {
    const { url } = await startDemanding();
    const { page, complaints } = await openPage();
    await addAuthenticator(page);

    await signIn(page, url);
    await heading(page, 'Set up a second factor');
    await expectLabels(page);
    await page.getByLabel('Name of the passkey').fill('Laptop');
    await press(page, 'Add a passkey');
    await heading(page, 'Your second factor is set up');
    const codes = (await page.locator('#recovery-codes').innerText()).split('\n');
    expect(codes).toHaveLength(10);
    await press(page, 'Continue');
    await page.getByRole('heading', { name: 'Laptop' }).waitFor();
    await signOut(page);

    await signIn(page, url);
    await heading(page, 'Your second factor');
    await expectLabels(page);
    await press(page, 'Use your passkey');
    await heading(page, 'How you sign in');
    await press(page, 'Add a passkey');
    await page.getByText('This device has a passkey of yours already.').waitFor();
    const secret = (await page.locator('section code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Name of the app').fill('Phone');
    await page.getByLabel('Code that the app shows').fill(codeAt(secret, Date.now()));
    await press(page, 'Add the app');
    await page.getByRole('heading', { name: 'Phone' }).waitFor();
    await expectLabels(page);
    await signOut(page);

    const code = codeAt(secret, Date.now() + stepMs);
    const giveCode = async () => {
      await signIn(page, url);
      await page.getByLabel('Code of your authenticator app').fill(code);
      await press(page, 'Continue with the code');
    };
    await giveCode();
    await heading(page, 'How you sign in');
    await signOut(page);
    await giveCode();
    await expectProblem(page, 'The code is wrong or was used before');
    await page.getByText('Use a recovery code').click();
    await page.getByLabel('Recovery code', { exact: false }).fill(codes[3] ?? '');
    await press(page, 'Continue with the recovery code');
    await page.getByText('9 are left').waitFor();
    expect(complaints).toEqual([]);
  });
});
