import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('filters of a list', (openPage) => {
  it('have the values that are in the form, whatever is chosen, removed or typed in which order', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession();
    const { page, complaints, goTo } = await openConsole(openPage, session);
    const dialog = page.getByRole('dialog', { name: 'Filters' });
    const field = dialog.getByRole('combobox', { name: 'Field' });
    const value = dialog.getByLabel(/^Value/);
    const applied = () => {
      const text = new URL(page.url()).searchParams.get('filters');
      return text === null ? undefined : (JSON.parse(text).conditions as unknown);
    };
    await goTo('data/orders');
    await page.getByText('20,000 records').waitFor();

    // A first condition waits, a value stays with another operator of its kind, and Enter applies.
    await page.keyboard.press('f');
    await field.selectOption('total');
    await dialog.getByText('"total" has no value yet: left out.').waitFor();
    await value.fill('5000');
    await dialog.getByText('left out').waitFor({ state: 'hidden' });
    await dialog.getByRole('combobox', { name: 'Operator' }).selectOption('greater_than');
    expect(await value.inputValue()).toBe('5000');
    await value.press('Enter');
    await page.getByText('total greater than 5000').waitFor();
    expect(applied()).toEqual([{ field: 'total', operator: 'greater_than', value: '5000' }]);

    // Another field begins without the value of the one before.
    await page.keyboard.press('f');
    await field.selectOption('reference');
    expect(await value.inputValue()).toBe('');
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    // What is left when a condition goes keeps its own value.
    const between = ['greater_than', 'less_than'].map((operator, at) => ({ field: 'id', operator, value: at * 8 + 1 }));
    const filters = encodeURIComponent(JSON.stringify({ aggregator: 'and', conditions: between }));
    await goTo(`data/orders?filters=${filters}`);
    await page.getByText('7 records').waitFor();
    await page.keyboard.press('f');
    await dialog.getByRole('button', { name: 'Remove id' }).first().click();
    expect(await value.evaluateAll((fields) => fields.map((one) => Reflect.get(one, 'value')))).toEqual(['9']);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('8 records').waitFor();
    expect(applied()).toEqual([between[1]]);
    expect(complaints).toEqual([]);
  });
});
