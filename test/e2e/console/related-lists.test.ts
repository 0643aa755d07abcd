import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('the related lists of a record', (openPage) => {
  it('open as lists of exactly these records, and show no active row before they have the focus', {
    tags: 'long',
  }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    await goTo('data/customers/6');
    const orders = page.getByRole('region', { name: 'orders' });
    await orders.scrollIntoViewIfNeeded();
    const title = orders.getByRole('heading', { name: /^orders \(\d+\)$/ });
    await title.waitFor();
    const bar = () =>
      orders.locator('[role=row][class*=active]').evaluate((row) => {
        const view = row.ownerDocument.defaultView;
        return view?.getComputedStyle(row, '::before').content;
      });
    expect(await bar()).toBe('none');
    await orders.getByRole('grid').focus();
    expect(await bar()).toBe('""');

    const count = Number(/\d+/.exec((await title.textContent()) ?? '')?.[0]);
    await page.getByRole('link', { name: 'Open as a list: orders' }).click();
    await page.getByText(`${count} records`, { exact: true }).waitFor();
    const filters = new URL(page.url()).searchParams.get('filters') ?? '';
    expect(JSON.parse(filters).conditions).toEqual([{ field: 'customer:id', operator: 'equal', value: '6' }]);
    await page.getByText('customer:id equal 6').waitFor();
    expect(complaints).toEqual([]);
  });

  it('leave the notes in sight that a key has opened, though they come later, until the person scrolls', {
    tags: 'long',
  }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    const { promise: waiting, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/relationships/**', async (route) => {
      await waiting;
      await route.continue();
    });
    await page.setViewportSize({ width: 1200, height: 500 });
    await goTo('data/customers/6');
    const notes = page.getByRole('region', { name: 'Notes' });
    await notes.getByRole('button', { name: 'Notes' }).waitFor();
    await page.keyboard.press('m');
    const begin = notes.getByRole('button', { name: 'New note' });
    await begin.waitFor();
    answer();
    await page.getByRole('heading', { name: /^reviews \(\d+\)$/ }).waitFor();
    const isInSight = async () => {
      const box = await begin.boundingBox();
      return box !== null && box.y > 0 && box.y + box.height <= 500;
    };
    await expect.poll(isInSight).toBe(true);

    // The person scrolls, and a list that grows then moves nothing.
    await page.mouse.move(700, 300);
    await page.mouse.wheel(0, -600);
    const top = () => page.locator('main').evaluate(({ scrollTop }) => scrollTop);
    await expect.poll(isInSight).toBe(false);
    const before = await top();
    await page.getByRole('region', { name: 'reviews' }).evaluate((list) => {
      Reflect.get(list, 'style').paddingBottom = '90px';
    });
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    expect(await top()).toBe(before);
    expect(complaints).toEqual([]);
  });
});
