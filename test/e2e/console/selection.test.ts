import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('rows of a list', (openPage) => {
  it('are chosen all at once, as a range by a click, and as a range by keys', { tags: 'long' }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    const row = (reference: string) => page.getByRole('row').filter({ hasText: reference });
    const box = (reference: string) => row(reference).getByRole('checkbox');
    const chosen = (text: string) => page.getByText(text, { exact: true }).waitFor();
    await goTo('data/orders');
    await page.getByText('20,000 records').waitFor();

    // The box in the header has the rows that are loaded; all that match are one button away.
    const all = page.getByRole('checkbox', { name: 'Select the 100 rows that are loaded' });
    await all.check();
    await chosen('100 of these');
    await box('2024-000002').uncheck();
    await chosen('99 of these');
    expect(await all.evaluate((input) => Reflect.get(input, 'indeterminate'))).toBe(true);
    await all.check();
    await page.getByRole('button', { name: 'Select all 20,000 that match' }).click();
    await chosen('All 20,000 that match');
    await all.uncheck();
    await page.getByText('that match').waitFor({ state: 'hidden' });

    // A range begins at the row of the last click, and another click with Shift makes it longer or shorter.
    await box('2024-000002').click();
    await box('2024-000006').click({ modifiers: ['Shift'] });
    await chosen('5 of these');
    await row('2024-000004')
      .getByText('2024-000004')
      .click({ modifiers: ['Shift'] });
    await chosen('3 of these');
    expect(await page.evaluate('String(getSelection())')).toBe('');
    await page.getByRole('button', { name: 'Clear the selection' }).click();

    // The same by keys. What was chosen before the range stays.
    await row('2024-000008').getByText('2024-000008').click();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(`Shift+${key}`);
    await chosen('3 of these');
    for (const reference of ['2024-000004', '2024-000005', '2024-000008']) {
      expect(await row(reference).getAttribute('aria-selected')).toBe('true');
    }
    await page.keyboard.press('Control+a');
    await chosen('100 of these');
    await page.keyboard.press('Control+a');
    await page.getByText('of these').waitFor({ state: 'hidden' });

    // Rows of a range that are not in the page any more are asked for. More than 1,000 are refused, and nothing is chosen.
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Space');
    const grid = page.getByRole('grid');
    await grid.evaluate((frame) => frame.scrollTo({ top: 36 * 450 }));
    await row('2024-000460')
      .getByText('2024-000460')
      .click({ modifiers: ['Shift'] });
    await chosen('460 of these');
    await page.keyboard.press('Control+Shift+End');
    await page.getByText('At most 1,000 rows can be selected at once').waitFor();
    await chosen('460 of these');
    expect(complaints).toEqual([]);
  });

  it('stay ticked in another list, and "all that match" ends with its own', { tags: 'long' }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    const search = page.getByRole('combobox', { name: 'Search' });
    const find = async (text: string) => {
      await search.fill(text);
      await search.press('Enter');
    };
    await goTo('data/orders');
    await page.getByText('20,000 records').waitFor();
    const box = page.getByRole('row').filter({ hasText: '2024-000002' }).getByRole('checkbox');
    await box.check();
    await find('status:pending');
    await page.getByText('1 not on this screen').waitFor();
    await page.getByText('1 of these', { exact: true }).waitFor();
    await find('');
    await page.getByText('1 not on this screen').waitFor({ state: 'hidden' });
    expect(await box.isChecked()).toBe(true);

    await find('status:pending');
    await page.getByRole('button', { name: /^Select all [\d,]+ that match/ }).click();
    const all = page.getByText(/^All [\d,]+ that match$/);
    await all.waitFor();
    // Another order of the same records is the same list.
    await page
      .getByRole('button', { name: 'Sort by reference' })
      .or(page.getByTitle('Sort by reference'))
      .first()
      .click();
    await page.waitForURL(/sort=reference/);
    await all.waitFor();
    await find('');
    await all.waitFor({ state: 'hidden' });
    await page.getByText('The list has changed').waitFor();
    expect(await page.getByRole('grid').getByRole('checkbox', { checked: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
