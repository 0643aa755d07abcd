import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('screens of the console', (openPage) => {
  it('name their tab, open by the start of their address, and lead to what a key has opened', {
    tags: 'long',
  }, async () => {
    const { page, goTo } = await openConsole(openPage, await startDevSession());
    const title = () => page.title();
    await goTo('data/orders');
    await expect.poll(title).toBe('orders · vendor-cloud');
    await goTo('log');
    await page.waitForURL(/\/log\/activity$/);
    await expect.poll(title).toBe('Log · vendor-cloud');
    await goTo('deliveries');
    await page.waitForURL(/\/deliveries\/versions$/);
    await expect.poll(title).toBe('Deliveries · vendor-cloud');

    await goTo('data/customers/6');
    await page.getByRole('region', { name: 'Notes' }).getByRole('button', { name: 'Notes' }).waitFor();
    await expect.poll(title).toMatch(/^customers .+ · vendor-cloud$/);
    await page.keyboard.press('m');
    const begin = page.getByRole('button', { name: 'New note' });
    await begin.waitFor();
    // What one writes in is one Tab away.
    expect(await page.locator(':focus').textContent()).toBe('Notes');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('New note');

    // Charts that nobody could ask for are not said to be none.
    await page.route('**/api/rights', (route) => route.fulfill({ status: 500, body: 'no' }));
    await goTo('charts');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    expect(await page.getByText('There are no charts yet').count()).toBe(0);
    await page.unroute('**/api/rights');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There are no charts yet').waitFor();
  });

  it('say why there is no request to approve, and where that is set', { tags: 'long' }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    await goTo('approvals');
    await page.getByRole('heading', { name: 'No request waits for you' }).waitFor();
    await page.getByText('when somebody runs an action that needs an approval').waitFor();
    await page.getByRole('link', { name: 'Open the rights' }).click();
    await page.getByRole('button', { name: 'Begin with everything allowed' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('say of a rule for all actions that it is about every action', { tags: 'long' }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    await goTo('rights');
    await page.getByRole('button', { name: 'Begin with everything allowed' }).click();
    const rules = page.getByRole('row', { name: /^every other collection/ }).getByRole('button');
    await rules.waitFor();
    expect(await rules.textContent()).toBe('every action');
    expect(complaints).toEqual([]);
  });

  it('give what was done the room that the other columns of a log leave', { tags: 'long' }, async () => {
    const viewport = { width: 1280, height: 700 };
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession(), { viewport });
    const widthOf = async (name: string) => (await page.getByRole('columnheader', { name }).boundingBox())?.width;
    await goTo('log/admin');
    await page.getByRole('columnheader', { name: 'What' }).waitFor();
    await expect.poll(() => widthOf('What')).toBeGreaterThan(320);
    expect(complaints).toEqual([]);
  });

  it('do without the preferences of the person where nobody answers', { tags: 'long' }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    await page.route('**/api/me/preferences', (route) => route.fulfill({ status: 500, body: 'no' }));
    const asked = page.waitForResponse('**/api/me/preferences');
    await goTo('data/orders');
    await asked;
    await page.getByText('20,000 records').waitFor();
    expect(complaints).toEqual([]);
  });
});
