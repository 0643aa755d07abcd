import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

/** How many pixels of the ring around an element are cut, by what scrolls around it and by the window. */
const cutOfRing = (element: Locator) =>
  element.evaluate((focused) => {
    const view = focused.ownerDocument.defaultView;
    if (view === null) throw new TypeError('A page has a window.');
    const { outlineWidth, outlineOffset } = view.getComputedStyle(focused);
    const ring = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
    const { left, top } = focused.getBoundingClientRect();
    let cut = Math.max(0, ring - left, ring - top);
    for (let around = focused.parentElement; around; around = around.parentElement) {
      if (view.getComputedStyle(around).overflowX === 'visible') continue;
      cut = Math.max(cut, around.getBoundingClientRect().left - (left - ring));
    }
    return cut;
  });

/** The middle of an element, from the top of the window. */
const middleOf = async (element: Locator) => {
  const box = await element.boundingBox();
  if (box === null) throw new TypeError('The element is not shown.');
  return Math.round(box.y + box.height / 2);
};

describeInChromium('the layout of the console', (openPage) => {
  it('has whole rings around what has the focus, beside labels, and buttons in lines', { tags: 'long' }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    await goTo('people');
    const name = page.getByRole('table').getByRole('button').first();
    await name.waitFor();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Skip to the content');
    expect(await cutOfRing(skip)).toBe(0);
    await name.focus();
    expect(await cutOfRing(name)).toBe(0);

    await goTo('access');
    await page.getByRole('button', { name: 'Create a token' }).click();
    const field = page.getByRole('dialog').getByRole('textbox', { name: /^Name/ });
    await expect.poll(() => field.evaluate((one) => one.matches(':focus-visible'))).toBe(true);
    const between = await field.evaluate((input) => {
      const text = input.ownerDocument.createRange();
      text.selectNodeContents(input.parentElement?.firstChild ?? input);
      return input.getBoundingClientRect().top - text.getBoundingClientRect().bottom;
    });
    // The ring takes two pixels, and stands two pixels away.
    expect(between).toBeGreaterThanOrEqual(4);

    await goTo('rights');
    await page.getByRole('button', { name: 'Begin with everything allowed' }).click();
    const chosen = page.getByRole('combobox', { name: 'Show the rights of' });
    await chosen.waitFor();
    const line = await middleOf(chosen);
    for (const label of ['Rename the role', 'Remove the role', 'The file']) {
      expect(await middleOf(page.getByRole('button', { name: label })), label).toBe(line);
    }
    const adding = await middleOf(page.getByRole('textbox', { name: 'Name of a new role' }));
    expect(await middleOf(page.getByRole('button', { name: 'Add the role' }))).toBe(adding);
    expect(complaints).toEqual([]);
  });

  it('shows the environment whole at every width, and leaves room for a search', { tags: 'long' }, async () => {
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession());
    const widths = [1280, 999, 800, 720, 360];
    const boxesOf = async (element: Locator) => {
      const boxes = [];
      for (const width of widths) {
        await page.setViewportSize({ width, height: 700 });
        const box = await element.boundingBox();
        if (box === null) throw new TypeError('The element is not shown.');
        const isCut = await element.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
        boxes.push({ width, own: Math.round(box.width), isCut, isInSight: box.x >= 0 && box.x + box.width <= width });
      }
      return boxes;
    };
    const whole = ({ width, own }: { width: number; own: number }) => ({ width, own, isCut: false, isInSight: true });
    const only = await boxesOf(page.getByTitle('Environment'));
    expect(only).toEqual(only.map(({ width }) => whole({ width, own: only[0]?.own ?? 0 })));

    await page.setViewportSize({ width: 800, height: 700 });
    const search = page.getByRole('combobox', { name: 'Search' });
    await search.waitFor();
    expect((await search.boundingBox())?.width).toBeGreaterThan(300);

    // A choice of several environments is as wide as their names.
    const asked = `fetch('/api/me', { headers: { 'service-client': 'console' } }).then((answer) => answer.json())`;
    const person: { readonly environments: readonly object[] } = await page.evaluate(asked);
    const environments = [...person.environments, { ...person.environments[0], name: 'production-of-the-shop' }];
    await page.route('**/api/me', (route) => route.fulfill({ json: { ...person, environments } }));
    await goTo('data/orders');
    const choice = page.getByRole('combobox', { name: 'Environment' });
    await choice.waitFor();
    const several = await boxesOf(choice);
    expect(several).toEqual(several.map(({ width }) => whole({ width, own: several[0]?.own ?? 0 })));
    expect(complaints).toEqual([]);
  });
});
