import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

/** Whether somebody sees the middle of an element, and nothing before it. */
const isInSight = (element: Locator) =>
  element.evaluate((shown) => {
    const { left, top, width, height } = shown.getBoundingClientRect();
    return shown.contains(shown.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
  });

describeInChromium('cells of a list', (openPage) => {
  it('say before the rows below what kept a value from being saved, and send none twice', async () => {
    const { page, goTo } = await openConsole(openPage, await startDevSession());
    await goTo('data/orders');
    await page.getByRole('gridcell', { name: '2024-000002' }).click();
    const answers: ('refused' | 'lost')[] = ['refused', 'lost', 'lost'];
    let writes = 0;
    await page.route('**/console/agent/**', (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      const error = { name: 'ValidationError', detail: 'Not this one', status: 422 };
      if (answers[writes++] === 'lost') return route.abort();
      return route.fulfill({ status: 422, contentType: 'application/json', body: JSON.stringify({ errors: [error] }) });
    });
    await page.keyboard.press('F2');
    const input = page.getByRole('textbox', { name: 'reference' });
    await input.fill('2024-other');
    // A click and a double click into the editor belong to the text.
    await input.dblclick();
    expect(await input.inputValue()).toBe('2024-other');
    await page.keyboard.press('Enter');
    const refused = page.getByRole('grid').getByRole('alert').filter({ hasText: 'Not this one' });
    await refused.waitFor();
    expect(await isInSight(refused)).toBe(true);

    // The answer is lost: the page says so, and sends nothing before somebody has found out.
    await input.press('Enter');
    const findOut = page.getByRole('grid').getByRole('button', { name: 'Find out' });
    await findOut.waitFor();
    expect(await isInSight(findOut)).toBe(true);
    await input.press('Enter');
    await input.press('Tab');
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Find out');
    await page.keyboard.press('Enter');
    await page.getByRole('grid').getByText('It was not saved').waitFor();
    expect(writes).toBe(2);
  });

  it('take no letter for a key of the list while their editor is on its way, and say where else they are changed', async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    const { promise: loading, resolve: load } = Promise.withResolvers<void>();
    await page.route('**/assets/cell-editor-*.js', async (route) => {
      await loading;
      await route.continue();
    });
    await goTo('data/orders');
    const address = page.url();
    await page.getByRole('gridcell', { name: '2024-000002' }).click();
    await page.keyboard.press('F2');
    await page.keyboard.type('n?');
    await page.keyboard.press('Enter');
    load();
    const input = page.getByRole('textbox', { name: 'reference' });
    await input.fill('never');
    expect([page.url(), await page.getByRole('dialog').count()]).toEqual([address, 0]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('F2');
    await page.getByText('"customer" is not changed in a list. Open the record.').waitFor();
    expect(complaints).toEqual([]);
  });
});
