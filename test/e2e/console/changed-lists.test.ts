import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('a list that others change', (openPage) => {
  it('offers newer rows, keeps an edited row that fits no more, and (case 23) drops what is gone from the selection', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession();
    const { page, complaints, goTo } = await openConsole(openPage, session);
    const filters = JSON.stringify({ field: 'tier', operator: 'equal', value: 'gold' });
    await goTo(`data/customers?sort=-id&columns=id,full_name,tier&filters=${encodeURIComponent(filters)}`);
    const rows = page.getByRole('grid').getByRole('row');
    const [first, second] = [rows.nth(1), rows.nth(2)] as const;
    const idOf = async (row: typeof first) => (await row.getAttribute('data-id')) ?? '';
    await first.getByText('gold').waitFor();
    const [edited, address] = [await idOf(first), page.url()];
    // As another tab writes.
    const write = (method: string, place: string, body?: object) =>
      page.evaluate(
        async ([verb, path, content]) => {
          const headers = { 'service-client': 'console', 'content-type': 'application/json' };
          const sent = { method: verb, headers, ...(content === '' ? {} : { body: content }) };
          const answer = await fetch(`/console/agent/development/${path}?timezone=UTC`, sent);
          const text = await answer.text();
          if (!answer.ok) throw new Error(text);
          return text === '' ? '' : (JSON.parse(text) as { data: { id: string } }).data.id;
        },
        [method, place, body ? JSON.stringify(body) : ''] as const,
      );

    const attributes = { email: 'newest@example.com', first_name: 'Newest', last_name: 'One', tier: 'gold' };
    const created = await write('POST', 'customers', { data: { type: 'customers', attributes } });
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
    await page.getByRole('button', { name: 'This list changed' }).waitFor();
    await expect.poll(() => second.getAttribute('title')).toBe('Does not match any more');
    expect(await idOf(second)).toBe(edited);
    // The page has looked, and looks again after a pause only: this deletion is newer than what it has seen.
    await first.getByRole('checkbox').check();
    await write('DELETE', `customers/${created}`);
    await page.getByRole('button', { name: 'This list changed' }).click();
    await page.getByText('1 selected record is gone').waitFor();
    await expect
      .poll(() => rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-id'))))
      .not.toContain(edited);
    expect(page.url()).toBe(address);
    expect(complaints).toEqual([]);
  });
});
