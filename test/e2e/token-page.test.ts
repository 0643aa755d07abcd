import { expect, it } from 'vitest';
import { describeInChromium } from '../helpers/chromium.ts';
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
import { password, startTeamPlatform } from '../helpers/team-platform.ts';

const bob = 'bob@example.test';

describeInChromium('the page of the API tokens in Chromium', (openPage) => {
  it.each([true, false])('works with the keyboard alone (JavaScript: %s)', async (javaScriptEnabled) => {
    const platform = await startTeamPlatform();
    await platform.join(bob, { level: 'admin' });
    const { page, complaints } = await openPage({ javaScriptEnabled });
    await page.goto(`${platform.url}/settings/tokens`);
    await typeFirst(page, bob);
    await fillIn(page, { Password: password });
    expect(new URL(page.url()).pathname).toBe('/settings/tokens');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('API tokens of shop');
    await expectLabels(page);

    const name = page.getByLabel('Name', { exact: false });
    await tabTo(page, name);
    await page.keyboard.type('siem');
    await pressEnter(page);
    await expectProblem(page, 'The token may do nothing.');
    expect(await name.inputValue()).toBe('siem');
    await tabTo(page, page.getByLabel('Read notes'));
    await page.keyboard.press('Space');
    await tabTo(page, page.getByLabel('How long it is valid'));
    await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByRole('button', { name: 'Create the token' }));
    await pressEnter(page);
    await untilFocused(page);
    expect(await hasFocus(page, page.getByRole('status'))).toBe(true);
    const secret = await page.locator('#made-secret').innerText();
    expect(secret).toMatch(/^svc_test_[0-9A-Za-z]{38}$/);
    expect(await page.getByRole('button', { name: 'Copy the secret of siem' }).count()).toBe(javaScriptEnabled ? 1 : 0);
    expect(await page.locator('dd').allInnerTexts()).toContain('notes:read');
    await expectLabels(page);

    const answer = async () => (await platform.call('GET', '/v1/rate-limit', undefined, secret)).status;
    expect(await answer()).toBe(200);
    await tabTo(page, page.getByRole('button', { name: 'Revoke siem' }));
    await pressEnter(page);
    expect(await answer()).toBe(401);
    expect(await page.getByRole('listitem').innerText()).toContain('siem');
    expect(await page.content()).not.toContain(secret);
    expect(complaints).toEqual([]);
  });

  it('fits a narrow screen, names each button and lets people sign out', async () => {
    const platform = await startTeamPlatform();
    const { page } = await openPage({ viewport: { width: 320, height: 640 } });
    await platform.call('POST', '/api/projects/shop/tokens', { name: 'a'.repeat(100), scopes: ['all'] });
    await platform.call('POST', '/api/projects/shop/tokens', { name: 'ci', level: 'read-only' });
    await page.goto(`${platform.url}/settings/tokens`);
    await page.getByText('Sign in with a token').click();
    await page.getByLabel('Your token of this platform').fill(platform.token);
    await page.getByRole('button', { name: 'Sign in with the token' }).click();
    await page.getByRole('heading', { name: 'ci' }).waitFor();
    const width: unknown = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(320);
    const buttons = await page
      .getByRole('button')
      .evaluateAll((all) => all.map((each) => each.ariaLabel ?? each.textContent));
    expect(new Set(buttons).size).toBe(buttons.length);
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['ci', 'a'.repeat(100)]);
    await page.getByRole('link', { name: 'Sign out of the platform' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goto(`${platform.url}/settings/tokens`);
    expect(new URL(page.url()).pathname).toMatch(/^\/sign-in\//);
  });
});
