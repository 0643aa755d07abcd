import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Press Tab until the control has the focus. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  for (let steps = 0; steps < 12; steps++) {
    await page.keyboard.press('Tab');
    if (await hasFocus(page, control)) return;
  }
  throw new Error(`Tab does not reach ${control}.`);
}

export async function hasFocus(page: Page, control: Locator): Promise<boolean> {
  return (await control.and(page.locator(':focus')).count()) === 1;
}

/** Wait for the control that has the focus when a page opens: the browser gives it a moment after the page has loaded. */
export async function untilFocused(page: Page): Promise<void> {
  await page.locator('body :focus').waitFor({ state: 'attached' });
}

/** Type into the field that has the focus when the page opens. */
export async function typeFirst(page: Page, text: string): Promise<void> {
  await untilFocused(page);
  await page.keyboard.type(text);
}

/** Press Enter on the control that has the focus; resolves when the next page is there. */
export async function pressEnter(page: Page): Promise<void> {
  await untilFocused(page);
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
}

/** Fill in a form, by the labels of its fields, and send it. */
export async function fillIn(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) {
    await tabTo(page, page.getByLabel(label));
    await page.keyboard.type(text);
  }
  await pressEnter(page);
}

/** Every field has a label, and the page has a language and one heading. */
export async function expectLabels(page: Page): Promise<void> {
  for (const field of await page.locator('input:not([type=hidden])').all()) {
    const id = await field.getAttribute('id');
    expect(await page.locator(`label[for="${id}"]`).count(), `labels of ${id}`).toBe(1);
  }
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
}

/** A problem is announced, has the focus, and is reported by the title. */
export async function expectProblem(page: Page, text: string): Promise<void> {
  const problem = page.getByRole('alert');
  await untilFocused(page);
  expect(await problem.innerText()).toContain(text);
  expect(await hasFocus(page, problem)).toBe(true);
  expect(await page.title()).toMatch(/^Error: /);
  await expectLabels(page);
}
