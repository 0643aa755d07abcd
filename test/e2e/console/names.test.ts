import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createProjectWith } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('names in the console', (openPage) => {
  it('may be those that every object of JavaScript knows, and more than the bar holds', async () => {
    const root = await createProjectWith(
      ...Array.from({ length: 120 }, (_, index) => `create table a_${index + 1} (id integer primary key)`),
      'create table "constructor" (id integer primary key, "valueOf" text, "toString" text)',
      `insert into "constructor" values (1, 'first', 'second')`,
    );
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession(root));
    await goTo('data/constructor');
    await page.getByRole('gridcell', { name: 'second' }).waitFor();
    // What is open is in sight, though the page holds only what is.
    const bar = page.getByRole('navigation', { name: 'Data' });
    const open = bar.getByRole('link', { name: 'constructor' });
    const placeOfOpen = async () => (await open.boundingBox())?.y ?? 0;
    await expect.poll(placeOfOpen).toBeGreaterThan(0);
    expect([(await placeOfOpen()) < 700, await bar.getByRole('link', { name: 'a_1', exact: true }).count()]).toEqual([
      true,
      0,
    ]);
    // Tab goes on beyond what the page holds, and a few letters bring any name.
    await bar.getByRole('searchbox').fill('a_');
    await bar.getByRole('link', { name: 'a_1', exact: true }).focus();
    for (let step = 1; step < 60; step += 1) await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('a_60');
    const item = bar.getByRole('listitem').filter({ hasText: 'a_60' });
    expect(await item.evaluate((row) => [row.getAttribute('aria-posinset'), row.getAttribute('aria-setsize')])).toEqual(
      ['60', '120'],
    );
    await bar.getByRole('searchbox').fill('a_119');
    await bar.getByRole('link', { name: 'a_119' }).click();
    await page.getByRole('heading', { name: 'a_119' }).waitFor();
    await goTo('data/constructor/1');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'toString' }).fill('third');
    await page.getByText('1 field changed').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('third').waitFor();
    await page.getByRole('definition').getByText('first').waitFor();
    expect(complaints).toEqual([]);
  });

  it('may be in any script, and hold what HTML and addresses use', { tags: 'long' }, async () => {
    const root = await createProjectWith(
      'create table "<b>a/b?c#d</b>" (id text primary key not null, "ערך" text, "名前" text)',
      `insert into "<b>a/b?c#d</b>" values ('1', 'שלום', '<i>x</i>'), ('..', 'folded', null), ('a|b', 'barred', null)`,
    );
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession(root));
    await goTo(`data/${encodeURIComponent('<b>a/b?c#d</b>')}`);
    await page.getByRole('gridcell', { name: 'שלום' }).waitFor();
    await page.getByRole('gridcell', { name: '<i>x</i>' }).waitFor();
    // An address cannot hold the key `..`: nothing is asked that would lead elsewhere.
    const folded = page.getByRole('gridcell', { name: 'folded' });
    await page.getByRole('button', { name: '..', exact: true }).click();
    const saidOfKey = page.getByText('The key ".." cannot be part of an address');
    await saidOfKey.waitFor();
    await folded.click();
    await page.keyboard.press('Enter');
    await saidOfKey.nth(1).waitFor();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'ערך' }).fill('changed');
    await page.keyboard.press('Enter');
    await page.getByText('".." cannot be a part of an address').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'a|b' }).click();
    await page.getByRole('definition').getByText('barred').waitFor();
    expect(complaints).toEqual([]);
  });

  it('scroll by themselves where they are many, so that the screens below them stay in sight', {
    tags: 'long',
  }, async () => {
    const tables = Array.from({ length: 50 }, (_, index) => `create table many_${index + 1} (id integer primary key)`);
    const session = await startDevSession(await createProjectWith(...tables));
    const { page, complaints, goTo } = await openConsole(openPage, session, { viewport: { width: 1440, height: 900 } });
    await goTo('data/orders');
    const bar = page.getByRole('navigation', { name: 'Data' });
    // The collection that is open is in sight, though it is behind them.
    await expect
      .poll(async () => ((await bar.getByRole('link', { name: 'orders' }).boundingBox())?.y ?? 900) < 700)
      .toBe(true);
    const names = bar.getByRole('link', { name: /^many_/ });
    await expect
      .poll(() => names.allInnerTexts())
      .toEqual(Array.from({ length: 50 }, (_, index) => `many_${index + 1}`));
    for (const [width, height] of [
      [1440, 900],
      [800, 700],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const name of ['People', 'Rights', 'Log']) {
        const place = await bar.getByRole('link', { name, exact: true }).boundingBox();
        expect([width, name, (place?.y ?? height) + (place?.height ?? 0) <= height]).toEqual([width, name, true]);
      }
      // By keyboard, one key passes all names.
      await bar.getByRole('searchbox').focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^(?:Charts|Inbox)/);
    }
    await bar.getByRole('link', { name: 'many_50' }).click();
    await page.getByRole('heading', { name: 'many_50' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
