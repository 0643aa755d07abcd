import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

const head = 'E-Mail,first name,last_name,tier,created_at,extra';
const row = (name: string, tier = 'gold') => `${name}@example.com,${name},Test,${tier},2026-01-01T00:00:00Z,x`;

describeInChromium('the import of the console', (openPage) => {
  it('maps a file, checks it, writes what is right, and gives back the rows that are wrong', {
    tags: 'long',
  }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    await goTo('data/customers');
    const rows = page.getByRole('grid').getByRole('row');
    await rows.nth(1).waitFor();
    await page.getByRole('link', { name: 'Import' }).click();
    // What the columns may be called stands there before there is a file.
    const expected = page.getByRole('region', { name: 'Columns that the first line may name' });
    await expected
      .getByRole('listitem')
      .filter({ hasText: /^email · required/ })
      .waitFor();
    await expected
      .getByRole('listitem')
      .filter({ hasText: /^tier.*gold/ })
      .waitFor();
    const empty = page.waitForEvent('download');
    await expected.getByRole('button', { name: 'Save an empty table' }).click();
    expect(await readFile(await (await empty).path(), 'utf8')).toMatch(/^(\w+,)*email,.*\n$/);
    const choose = (name: string, text: string) =>
      page.getByLabel('A CSV or NDJSON file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    const button = (name: string) => page.getByRole('button', { name, exact: true });

    await choose('bad.csv', 'a,b\n1,"2');
    await page.getByText('look at the quotes near line 2').waitFor();
    await choose('people.csv', [head, row('ok1'), row('bad', 'platinum'), row('ok2'), 'short'].join('\n'));
    await page.getByLabel('Goes to: extra').waitFor();
    const chosen = (column: string) => page.getByLabel(`Goes to: ${column}`).locator('option:checked').textContent();
    const chosenOfAll = () => Promise.all(['E-Mail', 'first name', 'extra'].map(chosen));
    expect(await chosenOfAll()).toEqual(['email', 'first_name', 'Nowhere']);
    expect(await page.getByLabel('Between cells').locator('option:checked').textContent()).toBe('Comma');
    expect(await button('Import').isDisabled()).toBe(true);
    await button('Check').click();
    await page.getByText('Right: 2. Wrong: 2.').waitFor();
    await page.getByText('The database may still refuse rows').waitFor();
    expect(await chosenOfAll()).toEqual(['email', 'first_name', 'Nowhere']);
    const offered = await page.getByLabel('Goes to: extra').locator('option').allTextContents();
    expect(offered).toContain('phone');
    expect(offered).not.toContain('email');
    await page
      .getByRole('row')
      .filter({ hasText: /^3\s*tier/ })
      .waitFor();
    await page.getByText('All or nothing: one wrong row keeps all of them out').click();
    await button('Check').click();
    await page.getByText('Wrong: 2.').waitFor();
    expect(await button('Import').isDisabled()).toBe(true);
    await page.getByText('Row by row').click();
    await button('Check').click();
    await page.getByText('Right: 2. Wrong: 2.').waitFor();
    await button('Import').click();
    await page.getByText('Imported: 2. Not imported: 2.').waitFor();
    const download = page.waitForEvent('download');
    await button('Save the rows that failed').click();
    const saved = await readFile(await (await download).path(), 'utf8');
    expect(saved.split('\n')[0]).toBe(`${head},Reason`);
    expect(saved).toMatch(/\nbad@example\.com,.*platinum.*tier/);
    expect(saved).toMatch(/\nshort,/);
    const created = await page.getByRole('link', { name: 'Show the 2 new records' }).getAttribute('href');
    const other = await page.context().newPage();
    await other.goto(new URL(created ?? '', page.url()).href);
    await other.getByText('2 records', { exact: true }).waitFor();
    await other.close();

    // A table from a spreadsheet, pasted into the list.
    await page.getByRole('link', { name: 'To the list' }).click();
    await rows.nth(1).waitFor();
    const table = [head, row('wrong', 'platinum'), row('pasted')].join('\n').replaceAll(',', '\t');
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${JSON.stringify(table)});
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }`);
    await page.getByLabel('Goes to: E-Mail').waitFor();
    await button('Check').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Right: 1. Wrong: 1.').waitFor();
    // The focus is on what comes next.
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Import');
    await page.keyboard.press('Enter');
    await page.getByText('Imported: 1. Not imported: 1.').waitFor();
    // The text keeps what was refused, and the next try sends only that.
    await page.getByText('The text above holds only these rows now.').waitFor();
    const text = page.getByLabel('Or a table from a spreadsheet');
    expect(await text.inputValue()).toBe([head, row('wrong', 'platinum')].join('\n').replaceAll(',', '\t'));
    await page
      .getByRole('row')
      .filter({ hasText: /^2\s*tier/ })
      .waitFor();
    await text.fill((await text.inputValue()).replace('platinum', 'gold'));
    await button('Check').click();
    await page.getByText('Right: 1. Wrong: 0.').waitFor();
    await button('Import').click();
    await page.getByText('Imported: 1. Not imported: 0.').waitFor();
    expect(await text.inputValue()).toBe('');

    // All or nothing: a file of JSON, and one that is longer than a transaction.
    const json = (name: string) =>
      JSON.stringify({ email: `${name}@example.com`, first_name: name, last_name: 'Test', tier: 'gold' });
    await choose('people.ndjson', `${json('json1')}\n${json('json2')}\n`);
    await page.getByText('All or nothing').click();
    await button('Check').click();
    await page.getByText('Right: 2. Wrong: 0.').waitFor();
    await button('Import').click();
    await page.getByText('Imported: 2. Not imported: 0.').waitFor();
    const many = Array.from({ length: 5_001 }, (_, index) => row(`many${index}`)).join('\n');
    await choose('many.csv', `${head}\n${many}`);
    await page.getByText('All or nothing').click();
    await button('Check').click();
    await page.getByText('All or nothing takes 5,000 rows at most').waitFor();

    // Row by row: stopped after the rows that are on their way, and broken off.
    const some = Array.from({ length: 600 }, (_, index) => row(`some${index}`)).join('\n');
    await choose('some.csv', `${head}\n${some}`);
    await button('Check').click();
    await page.getByText('Right: 600. Wrong: 0.').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/_internal\/import/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await button('Import').click();
    await button('Stop').click();
    held.resolve();
    await page.getByText('Imported: 500. Not imported: 0.').waitFor();
    await page.getByText('Stopped before line 502.').waitFor();
    await page.unrouteAll();
    await choose('last.csv', `${head}\n${row('last')}`);
    await button('Check').click();
    await page.getByText('Right: 1. Wrong: 0.').waitFor();
    await page.route(/_internal\/import/, (route) => route.abort());
    await button('Import').click();
    await page.getByText('Whether the rows from line 2 on were imported is not known').waitFor();
    await page.unrouteAll();
    await goTo('data/customers?search=pasted');
    await page.getByText('1 record', { exact: true }).waitFor();
    // The browser tells of the connection that broke.
    expect(complaints).toEqual(['Failed to load resource: net::ERR_FAILED']);
  });
});
