import path from 'node:path';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';
import { flowContext } from '../../helpers/flow-context.ts';

describeInChromium('a list that others change', (openPage) => {
  it('offers newer rows, keeps an edited row that fits no more, and drops what is gone from the selection', async () => {
    const session = await startDevSession();
    const { page, complaints, goTo } = await openConsole(openPage, session);
    const database = await flowContext(session.root).openDatabase(path.join(session.root, 'shop.sqlite'));
    const filters = JSON.stringify({ field: 'tier', operator: 'equal', value: 'gold' });
    await goTo(`data/customers?sort=-id&columns=id,full_name,tier&filters=${encodeURIComponent(filters)}`);
    const rows = page.getByRole('grid').getByRole('row');
    const [first, second] = [rows.nth(1), rows.nth(2)] as const;
    const idOf = async (row: typeof first) => (await row.getAttribute('data-id')) ?? '';
    await first.getByText('gold').waitFor();
    const [edited, address] = [await idOf(first), page.url()];
    const tell = () =>
      page.evaluate(() =>
        new BroadcastChannel('vendor-cloud events of development').postMessage({
          type: 'records',
          collection: 'customers',
        }),
      );

    database.execute(
      "insert into customers (email, first_name, last_name, tier, created_at) values ('newest@example.com', 'Newest', 'One', 'gold', '2026-01-01 00:00:00')",
    );
    await tell();
    const newer = page.getByRole('button', { name: '1 newer row' });
    await newer.waitFor();
    expect(await idOf(first)).toBe(edited);
    await page.keyboard.press('r');
    await first.getByText('Newest One').waitFor();

    // The edited row leaves the filter, and stays where it is until somebody applies that.
    await second.getByRole('gridcell').last().click();
    await page.keyboard.press('F2');
    await page.getByRole('combobox', { name: 'tier' }).selectOption('silver');
    await page.keyboard.press('Enter');
    await second.getByText('silver').waitFor();
    await first.getByRole('checkbox').check();
    database.execute("delete from customers where email = 'newest@example.com'");
    await tell();
    await page.getByRole('button', { name: 'This list changed' }).waitFor();
    await expect.poll(() => second.getAttribute('title')).toBe('Does not match any more');
    expect(await idOf(second)).toBe(edited);
    await page.getByRole('button', { name: 'This list changed' }).click();
    await page.getByText('1 selected record is gone').waitFor();
    await expect
      .poll(() => rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-id'))))
      .not.toContain(edited);
    expect(page.url()).toBe(address);
    expect(complaints).toEqual([]);
    database.close();
  });
});
