import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('the console on a phone, and beside the code', (openPage) => {
  it('shows rows as cards that are chosen, opened and run actions on, and reaches the last of 20,000', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession(await createConsoleProject());
    const { page, complaints, goTo } = await openConsole(openPage, session, { viewport: { width: 390, height: 800 } });
    await goTo('data/orders');
    const cards = page.getByRole('grid').locator('[role=row][data-id]');
    await cards.first().getByText('2024-000001').waitFor();
    for (const label of ['status', 'total']) await cards.first().getByText(label, { exact: true }).waitFor();
    // The one thing of a header that cards have is the box for all that are loaded.
    const all = page.getByRole('checkbox', { name: 'Select the 100 rows that are loaded' });
    await all.check();
    await page.getByText('100 of these').waitFor();
    await all.uncheck();
    await page.getByText('100 of these').waitFor({ state: 'hidden' });
    for (const name of ['Filter', 'Columns', 'Explain', 'Export']) {
      const place = await page.getByRole('button', { name, exact: true }).boundingBox();
      expect([name, place && place.x >= 0 && place.x + place.width <= 390]).toEqual([name, true]);
    }
    const importing = await page.getByRole('link', { name: 'Import' }).boundingBox();
    expect((importing?.x ?? 390) + (importing?.width ?? 0)).toBeLessThanOrEqual(390);
    const { width = 0, height = 0 } = (await cards.first().boundingBox()) ?? {};
    expect([width <= 390, height > 100, (await cards.count()) < 40]).toEqual([true, true, true]);
    await cards.first().getByRole('checkbox').check();
    await page.getByText('1 of these').waitFor();
    const actions = page.getByRole('button', { name: 'Actions' });
    await expect.poll(() => actions.count()).toBe(2);
    await actions.last().click();
    await page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name: 'Report' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+End');
    await cards
      .filter({ hasText: '2024-020000' })
      .or(cards.filter({ hasText: /20000/ }))
      .first()
      .waitFor();

    // The list of collections is a drawer.
    const link = page.getByRole('link', { name: 'tags', exact: true });
    expect(await link.isVisible()).toBe(false);
    const menu = page.getByRole('button', { name: 'Data', exact: true });
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
    await menu.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => menu.getAttribute('aria-expanded')).toBe('true');
    // Tab goes into the drawer and back, and Escape closes it for the button that opened it.
    for (const [key, place] of [
      ['Tab', 'Find a collection'],
      ['Shift+Tab', 'Data'],
      ['Tab', 'Find a collection'],
      ['Escape', 'Data'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(async () => [key, await focused()]).toEqual([key, place]);
    }
    await expect.poll(() => menu.getAttribute('aria-expanded')).toBe('false');
    expect(await link.isVisible()).toBe(false);
    await menu.click();
    await link.click();
    await page.getByRole('heading', { name: 'tags' }).waitFor();
    await expect.poll(() => link.isVisible()).toBe(false);
    await goTo('data/orders');
    await cards
      .first()
      .getByRole('link', { name: /^1$|2024/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    const title = await page.getByRole('heading', { level: 1 }).boundingBox();
    expect(title?.width).toBeGreaterThanOrEqual(240);

    // A table is a list of cards, and no screen is wider than the phone.
    for (const screen of [
      'people',
      'rights',
      'access/tokens',
      'deliveries/versions',
      'insights',
      'log/activity',
      'doctor',
    ]) {
      await goTo(screen);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading').waitFor({ state: 'hidden' });
      expect([screen, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([screen, 390]);
    }
    await goTo('people');
    await page.getByRole('region', { name: 'People' }).getByRole('cell').first().waitFor();
    const shown = 'document.querySelector("main td")';
    expect(await page.evaluate(`getComputedStyle(${shown}, "::before").content`)).toBe('"E-mail"');
    await goTo('data/orders');

    // In a low window the bar scrolls, and each of its entries keeps its height.
    await page.setViewportSize({ width: 1200, height: 400 });
    const entries = await page.getByRole('navigation', { name: 'Data' }).getByRole('link').all();
    const heights = await Promise.all(entries.map(async (entry) => (await entry.boundingBox())?.height));
    expect([entries.length > 10, new Set(heights)]).toEqual([true, new Set([28])]);

    // The palette leads to screens that the bar leaves out while they are empty.
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    for (const [typed, screen] of [
      ['appro', 'Approvals'],
      ['dash', 'Charts and dashboards'],
      ['chart', 'Charts and dashboards'],
    ] as const) {
      await palette.getByRole('combobox').fill(typed);
      await palette.getByRole('option', { name: screen }).waitFor();
    }
    await page.keyboard.press('Escape');
    await goTo('nothing/of/this');
    await page.getByText('There is nothing at this address').waitFor();
    await page.getByRole('link', { name: 'Go to the start of the console' }).click();
    await page.getByRole('grid').waitFor();

    // On a wide screen: what the agent logs, with the answer to what was refused, and the requests of the screen.
    await page.setViewportSize({ width: 1200, height: 800 });
    await goTo('data/customers/999999');
    await page.getByText('There is no').or(page.getByRole('alert')).first().waitFor();
    // Nothing was ever done to it, and nothing of it can be asked again.
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('region', { name: 'History' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.keyboard.press('l');
    const log = page.getByRole('dialog', { name: 'Log' });
    const refused = log.getByRole('listitem').filter({ hasText: 'GET /service/customers/999999 404' }).first();
    await refused.waitFor();
    expect(await refused.textContent()).toMatch(/404.*Request id: .*no such record in "customers".*REQUEST_NOT_FOUND/s);
    await log.getByRole('searchbox').fill('nothing that anybody logs');
    await log.getByText('There is no such line').waitFor();
    await page.keyboard.press('Escape');
    await goTo('data/customers/1');
    await page.getByRole('figure').first().waitFor();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await page.keyboard.press('y');
    const copies = page.getByRole('dialog', { name: 'The requests of this screen' });
    await expect.poll(() => copies.textContent()).toContain('"$AGENT_URL"\'/customers/1?');
    expect(await copies.textContent()).toContain('/_charts/customers/Orders%20of%20it');
    expect(complaints).toEqual([]);
  });
});
