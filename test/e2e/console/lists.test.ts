import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('lists of the console', (openPage) => {
  it('show records after one click on a link, keep their state in the address, and go back by the browser', async () => {
    const session = await startDevSession();
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/orders');
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    await row('2024-000001').waitFor();
    await page.getByText('20,000 records').waitFor();

    await page.getByRole('button', { name: 'To ship' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('segment')).toBe('To ship');
    await page.getByRole('grid').getByText('paid').first().waitFor();
    await page.goBack();
    await page.getByText('20,000 records').waitFor();
    expect(new URL(page.url()).search).toBe('');

    await page.keyboard.press('/');
    await page.keyboard.type('2024-000003');
    await page.keyboard.press('Enter');
    await page.getByText('1 record', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('search')).toBe('2024-000003');

    // Keys reach the list though nothing has the focus, and the way back leads to where one was.
    await goTo('data/orders');
    await row('2024-000001').waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('PageUp');
    const place = page.locator('[role=row][class*=active] [role=rowheader] a');
    await place.waitFor();
    await page.keyboard.press('Enter');
    await page.locator('main dl').waitFor();
    const record = page.url();
    await page.goBack();
    await expect.poll(() => place.evaluate((link) => Reflect.get(link, 'href'))).toBe(record);
    const opening = page.context().waitForEvent('page');
    await place.click({ modifiers: ['ControlOrMeta'] });
    const tab = await opening;
    await tab.waitForURL(record);
    await tab.close();

    // A link shows the same list to somebody else.
    await goTo('data/orders?search=2024-000003');
    await page.getByText('1 record', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('sort, filter through a relation, and show every column that somebody chooses', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/orders');
    await page
      .getByRole('columnheader', { name: 'reference' })
      .getByRole('button', { name: 'reference', exact: true })
      .click();
    await page.getByRole('columnheader', { name: 'reference' }).getByText('↑').waitFor();
    await page
      .getByRole('columnheader', { name: 'reference' })
      .getByRole('button', { name: /reference/ })
      .first()
      .click();
    await page.getByRole('columnheader', { name: 'reference' }).getByText('↓').waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-reference');
    // Shift adds a column, by a key as by a click.
    const sort = () => new URL(page.url()).searchParams.get('sort');
    const titles = page.getByRole('columnheader');
    const at = (await titles.allInnerTexts()).findIndex((text) => text.trim() === 'status');
    const first = (await titles.allInnerTexts()).findIndex((text) => text.trim().startsWith('id'));
    await page.getByRole('grid').focus();
    await page.keyboard.press('Home');
    for (let step = first; step < at; step += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+S');
    await expect.poll(sort).toBe('-reference,status');
    await page.keyboard.press('Shift+S');
    await expect.poll(sort).toBe('-reference,-status');
    await page.keyboard.press('Shift+S');
    await expect.poll(sort).toBe('-reference');

    await page.keyboard.press('f');
    const dialog = page.getByRole('dialog', { name: 'Filters' });
    // A first condition is begun.
    const focused = () => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
    await expect.poll(focused).toBe('Field');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    expect(await focused()).toBe('Add a condition');
    await page.keyboard.press('Enter');
    await dialog.getByRole('combobox', { name: 'Field' }).selectOption('customer');
    await dialog.getByRole('combobox', { name: 'customer: Field' }).selectOption('tier');
    await dialog.getByRole('combobox', { name: 'Operator' }).selectOption('in');
    const offered = dialog.getByRole('group', { name: 'Value: customer:tier' });
    await offered.getByRole('checkbox', { name: 'gold' }).check();
    expect(await offered.getByRole('checkbox').count()).toBeGreaterThan(1);
    await dialog.getByRole('combobox', { name: 'Operator' }).selectOption('equal');
    await dialog.getByLabel('Value: customer:tier').selectOption('gold');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('customer:tier equal gold').waitFor();
    const filters = new URL(page.url()).searchParams.get('filters') ?? '';
    expect(JSON.parse(filters).conditions).toEqual([{ field: 'customer:tier', operator: 'equal', value: 'gold' }]);
    await page.getByRole('button', { name: 'Remove customer:tier equal gold' }).click();
    await page.getByText('20,000 records').waitFor();

    // What is copied has the columns of the list, all chosen records as far as a copy goes, and says what it lacks.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('gridcell').first().click();
    const copied = () => page.evaluate('navigator.clipboard.readText()').then((text) => String(text).split('\n'));
    await page
      .getByRole('checkbox', { name: /^Select 2/ })
      .first()
      .check();
    await page.getByRole('button', { name: 'Copy as a table' }).click();
    await page.getByText('Copied 1 record', { exact: true }).waitFor();
    const [head = '', only = ''] = await copied();
    const cells = Object.fromEntries(head.split('\t').map((name, at) => [name, only.split('\t')[at]]));
    expect(cells['reference']).toMatch(/^2\d{3}-/);
    expect(cells['customer']).not.toBe('');
    expect(Object.keys(cells)).toContain('status');
    await page.getByRole('button', { name: 'Select all 20,000 that match' }).click();
    await page.getByRole('button', { name: 'Copy as a table' }).click();
    await page.getByText('Copied 10,000 of 20,000 records.').waitFor();
    expect((await copied()).length).toBe(10_001);
    await page.getByRole('button', { name: 'Clear the selection' }).click();

    await page.keyboard.press('c');
    const columns = page.getByRole('dialog', { name: 'Columns' });
    await columns.getByRole('checkbox', { name: 'note' }).uncheck();
    await columns.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => page.getByRole('columnheader', { name: 'note' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('complete what somebody searches for by keyboard, say what a file holds, and why nothing is there', {
    tags: 'long',
  }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    const address = () => new URL(page.url()).searchParams;
    await goTo('data/orders');
    await page.getByText('20,000 records').waitFor();
    const search = page.getByRole('combobox', { name: 'Search' });
    const option = (name: string) => page.getByRole('option', { name, exact: true });
    await page.keyboard.press('/');
    await page.keyboard.type('stat');
    await option('status:').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await search.getAttribute('aria-activedescendant')).toBe(await option('status:').getAttribute('id'));
    await page.keyboard.press('Enter');
    await option('shipped').waitFor();
    await page.keyboard.type('shi');
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await search.inputValue()).toBe('status:shipped ');
    await page.keyboard.type('customer.fir');
    await page.keyboard.press('Escape');
    await page.keyboard.type('s');
    await option('customer.first_name:').click();
    await page.getByRole('option').first().waitFor();
    await search.fill('status:shipped');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect.poll(() => address().get('search')).toBe('status:shipped');
    await expect.poll(() => page.getByRole('button', { name: 'Search', exact: true }).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Search');
    await page.getByRole('button', { name: 'Also in related records' }).click();
    await expect.poll(() => address().get('extended')).toBe('true');

    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export: orders' });
    await dialog.getByText('Search: status:shipped').waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'CSV file' }).click();
    const file = await (await download).path();
    await page.getByRole('button', { name: 'Export' }).click();
    const workbook = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Excel file' }).click();
    // A workbook is a zip file.
    expect((await readFile(await (await workbook).path())).subarray(0, 2).toString()).toBe('PK');
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    await page.getByText(`${new Intl.NumberFormat('en').format(lines.length - 1)} records`).waitFor();

    await search.fill('"nobody');
    await page.getByText('The quote is not closed').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('No record matches').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByText('20,000 records').waitFor();
    expect(await search.inputValue()).toBe('');
    expect(complaints).toEqual([]);
  });

  it('reach the last row by one key, without a row twice, and mark an address that cannot be read', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession();
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/orders');
    await page.getByRole('grid').getByText('2024-000001').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+End');
    await page
      .getByRole('row')
      .filter({ hasText: /^20000/ })
      .waitFor();
    const indices = await page
      .getByRole('row')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-rowindex')));
    expect(new Set(indices).size).toBe(indices.length);

    await goTo('data/orders?filters=%7Bbroken');
    await page.getByText('The filter of this address cannot be read').waitFor();
    await page.getByText('20,000 records').waitFor();

    await goTo(`data/orders?filters=${encodeURIComponent('{"field":"gone","operator":"present"}')}`);
    await page.getByText('"gone" is not a field any more').waitFor();
    await page.getByText('20,000 records').waitFor();
    expect(complaints).toEqual([]);

    await goTo('data/nothing');
    await page.getByText('There is nothing at this address').waitFor();
  });
});
