import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('views of a list', (openPage) => {
  it('are saved for oneself or for the team, changed, renamed and deleted, and a change of somebody else is shown', {
    tags: 'long',
  }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    const address = () => new URL(page.url()).searchParams;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog', { name: 'Save view' });
    const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true });
    await goTo('data/orders?sort=-total&columns=reference,total');
    await page.getByRole('columnheader', { name: 'total' }).waitFor();
    await page.keyboard.press('v');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Large ones');
    await dialog.getByRole('checkbox', { name: 'For everybody of my team' }).check();
    await inDialog('Save as a new view').click();
    await button('Large ones').waitFor();
    const view = address().get('view');

    // A change is in the address, and a link shows it, until somebody saves it.
    await page
      .getByRole('columnheader', { name: 'total' })
      .getByRole('button', { name: /^total/ })
      .click();
    await button('Large ones, changed').waitFor();
    await page.reload();
    await button('Large ones, changed').waitFor();
    expect([address().get('view'), address().get('sort')]).toEqual([view, null]);
    await button('Large ones, changed').click();
    await expect.poll(() => address().get('sort')).toBe('-total');

    // Somebody else changes the view meanwhile.
    await page.evaluate(async (id) => {
      const headers = { 'service-client': 'console', 'content-type': 'application/json' };
      const document = { state: { sort: 'reference', columns: 'reference,status' }, widths: {} };
      const body = JSON.stringify({ base: 1, name: 'Large ones', collection: 'orders', document });
      await fetch(`/api/views/${id}`, { method: 'PUT', headers, body });
    }, view);
    await page
      .getByRole('columnheader', { name: 'reference' })
      .getByRole('button', { name: /^reference/ })
      .click();
    await button('Save the changes').click();
    await inDialog('Save the changes').click();
    await dialog.getByText('Somebody else has changed this view').waitFor();
    await inDialog('Take theirs').click();
    await page.getByRole('columnheader', { name: 'status' }).waitFor();
    expect(address().get('sort')).toBe('reference');

    await page.keyboard.press('v');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('By reference');
    // As in every dialog, what saves stands last.
    const order = ['Cancel', 'Delete', 'Rename', 'Save as a new view', 'Save the changes'];
    expect(await dialog.getByRole('button').allTextContents()).toEqual(order);
    await inDialog('Rename').click();
    await button('By reference').waitFor();

    await page.keyboard.press('v');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await dialog.getByRole('checkbox', { name: 'For everybody of my team' }).uncheck();
    await inDialog('Save as a new view').click();
    await expect.poll(() => address().get('view')).toBe('mine:Mine');
    await button('By reference').click();
    await page.keyboard.press('v');
    await inDialog('Delete').click();
    await expect.poll(() => button('By reference').count()).toBe(0);
    await page.goBack();
    await expect.poll(() => address().get('view')).toBe(view);
    expect(await button('Mine').count()).toBe(1);

    // A page that was open before keeps what another one saved, also where that is closed at once.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Mine' }).waitFor();
    await page.keyboard.press('v');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Second');
    await inDialog('Save as a new view').click();
    await expect.poll(() => address().get('view')).toBe('mine:Second');
    await page.goto('about:blank');
    await other.getByRole('button', { name: 'Second' }).waitFor();
    const kept = other.waitForResponse((response) => response.request().method() === 'PATCH');
    await other.keyboard.press('?');
    await other.getByRole('combobox', { name: 'Rows', exact: true }).selectOption({ index: 0 });
    const views = { orders: [{ name: 'Mine' }, { name: 'Second' }] };
    expect((await (await kept).json()) as unknown).toMatchObject({ preferences: { console: { views } } });
    // Another machine has the same, and whoever else signs in at this one has nothing of it.
    await other.evaluate(() => {
      localStorage.removeItem('vendor-cloud preferences');
      localStorage.removeItem('vendor-cloud owner of the preferences');
    });
    await goTo('data/orders');
    await button('Second').waitFor();
    await page.evaluate(() => localStorage.setItem('vendor-cloud owner of the preferences', 'somebody else'));
    await page.route('**/api/me/preferences', (route) => route.fulfill({ json: { revision: 0, preferences: {} } }));
    await goTo('data/orders');
    await page.getByText('20,000 records').waitFor();
    await expect.poll(() => button('Second').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
