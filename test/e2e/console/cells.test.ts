import { writeFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createRecord, startDevSession } from '../../helpers/dev-session.ts';

/** Whether somebody sees the middle of an element, and nothing before it. */
const isInSight = (element: Locator) =>
  element.evaluate((shown) => {
    const { left, top, width, height } = shown.getBoundingClientRect();
    return shown.contains(shown.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
  });

describeInChromium('cells of a list', (openPage) => {
  it('say before the rows below what kept a value from being saved, and send none twice', {
    tags: 'long',
  }, async () => {
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

  it('take no letter for a key of the list while their editor is on its way, and say where else they are changed', {
    tags: 'long',
  }, async () => {
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
    await page.keyboard.press('Home');
    await page.keyboard.press('F2');
    await page.getByText('"id" is not changed in a list. Open the record.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('keep what somebody types, for its own record, while the list scrolls, is read again, and something else is clicked', async () => {
    const session = await startDevSession();
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/customers?sort=-id&columns=id,first_name,last_name');
    const grid = page.getByRole('grid');
    const first = grid.getByRole('row').nth(1);
    await first.getByRole('gridcell').first().click();
    const edited = (await first.getAttribute('data-id')) ?? '';
    const row = grid.locator(`[data-id="${edited}"]`);
    await page.keyboard.press('F2');
    const name = page.getByRole('textbox', { name: 'first_name' });
    await name.fill('Typed');
    await grid.evaluate((frame) => frame.scrollTo({ top: 36 * 450 }));
    await grid.locator('#cell-450-0').waitFor();
    expect(await name.inputValue()).toBe('Typed');
    await grid.evaluate((frame) => frame.scrollTo({ top: 0 }));

    // A new record comes first, and new code makes the page read the list again.
    const attributes = { email: 'newest@example.com', first_name: 'Newest', last_name: 'One' };
    const created = await createRecord(session, 'customers', attributes);
    expect(created).toEqual([200]);
    await writeFile(
      session.entry,
      "export default (agent) => agent.addChart('More', (_, result) => result.value(1));\n",
    );
    await session.next('reloaded');
    await first.getByText('Newest', { exact: true }).waitFor();
    expect(await row.getByRole('textbox').inputValue()).toBe('Typed');
    // What is clicked meanwhile has the focus: nothing that is typed there is a key of the list.
    await page.getByRole('combobox', { name: 'Search' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await row.getByRole('gridcell', { name: 'Typed' }).waitFor();
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Search');
    await first.getByText('Newest', { exact: true }).waitFor();

    // A value that is refused stays where it was typed, also when another cell is clicked.
    await page.route('**/console/agent/**', (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      const error = { name: 'ValidationError', detail: 'Not this one', status: 422 };
      return route.fulfill({ status: 422, contentType: 'application/json', body: JSON.stringify({ errors: [error] }) });
    });
    await row.getByRole('gridcell').nth(1).click();
    await page.keyboard.press('F2');
    const lastName = page.getByRole('textbox', { name: 'last_name' });
    await lastName.fill('Refused');
    await first.getByText('Newest', { exact: true }).click();
    await grid.getByRole('alert').filter({ hasText: 'Not this one' }).waitFor();
    expect(await lastName.inputValue()).toBe('Refused');
    expect(complaints).toEqual([]);
  });

  it('choose the record that a relation leads to, or none, and leave it as it was without a choice', {
    tags: 'long',
  }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    await goTo('data/orders');
    const row = page.getByRole('row').filter({ hasText: '2024-000002' });
    const cell = row.locator('[data-column="2"]');
    await cell.getByText('Kwame Bianchi').click();
    const picker = page.getByRole('dialog', { name: 'Choose from customers' });
    await page.keyboard.press('F2');
    await picker.getByRole('searchbox').fill('Lefèvre');
    await picker
      .getByRole('button', { name: /^Chiara Lefèvre/ })
      .first()
      .click();
    await cell.getByText('Chiara Lefèvre').waitFor();
    await page.getByText('Saved').first().waitFor();
    await page.reload();
    await cell.getByText('Chiara Lefèvre').click();

    // No key of the dialog is one of the list, and without a choice nothing is written.
    let writes = 0;
    page.on('request', (request) => {
      if (request.method() === 'PUT') writes += 1;
    });
    const address = page.url();
    await page.keyboard.press('F2');
    await picker.getByRole('button').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await expect.poll(() => picker.count()).toBe(0);
    await expect.poll(() => page.locator(':focus').getAttribute('role')).toBe('grid');
    expect([page.url(), writes]).toEqual([address, 0]);

    const coupon = row.locator('[data-column="4"]');
    const coupons = page.getByRole('dialog', { name: 'Choose from coupons' });
    await coupon.getByText('SPRING15').click();
    await page.keyboard.press('F2');
    await coupons.getByRole('button', { name: 'Choose no record' }).click();
    await coupon.getByText('null').waitFor();
    expect(writes).toBe(1);

    // A refusal stays in the cell.
    await page.route('**/console/agent/**', (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      const error = { name: 'ValidationError', detail: 'Not this one', status: 422 };
      return route.fulfill({ status: 422, contentType: 'application/json', body: JSON.stringify({ errors: [error] }) });
    });
    await page.keyboard.press('F2');
    await coupons.getByRole('listitem').first().getByRole('button').click();
    await page.getByRole('grid').getByRole('alert').filter({ hasText: 'Not this one' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  it('are changed in the form too, with a relation beside a value', { tags: 'long' }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    await goTo('data/orders/2');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: /^customer: / }).click();
    const picker = page.getByRole('dialog', { name: 'Choose from customers' });
    await picker.getByRole('searchbox').fill('Lefèvre');
    await picker
      .getByRole('button', { name: /^Chiara Lefèvre 37/ })
      .first()
      .click();
    await page.getByLabel('currency').fill('CHF');
    const written: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') written.push(new URL(request.url()).pathname);
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    // One write: where the value is refused, the record leads where it led.
    expect(written.filter((place) => place.includes('/orders/'))).toEqual([expect.stringMatching(/\/orders\/2$/)]);
    await page.reload();
    await page.locator('main dl').getByText('Chiara Lefèvre').first().waitFor();
    await page.locator('main dl').getByText('CHF').waitFor();
    expect(complaints).toEqual([]);
  });
});
