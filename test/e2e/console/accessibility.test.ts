import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect, it } from 'vitest';
import { connectToPlatform } from '#flows/platform-access/connect-to-platform';
import { openProject } from '#project/index';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject } from '../../helpers/console-project.ts';
import { deliverTwice } from '../../helpers/delivered-versions.ts';
import { startDevSession } from '../../helpers/dev-session.ts';
import { flowContext } from '../../helpers/flow-context.ts';
import { writeFiles } from '../../helpers/write-files.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

describeInChromium('the console for everybody', (openPage) => {
  it('breaks no rule of axe on any screen, in both themes', { tags: 'long' }, async () => {
    const root = await createConsoleProject();
    const charts = ['Revenue', 'Goal', 'Lines', 'Best'].map((chart) => ({ chart }));
    await writeFiles(root, { 'dashboards/all.json': JSON.stringify({ title: 'All', charts }) });
    const session = await startDevSession(root);
    // The rules come as a script that the policy of the page would refuse.
    const { page, goTo } = await openConsole(openPage, session, { bypassCSP: true, reducedMotion: 'reduce' });
    const source = await readFile(axe, 'utf8');
    const violations: Record<string, readonly string[]> = {};
    const check = async (screen: string) => {
      await expect.poll(() => page.locator('[class*=skeleton]').count()).toBe(0);
      await page.evaluate(source);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // A theme changes colours, and nothing else.
        const rules = colorScheme === 'light' ? '' : ', runOnly: ["color-contrast"]';
        const results = (await page.evaluate(
          `axe.run(document, { resultTypes: ["violations"]${rules} })`,
        )) as AxeResults;
        violations[`${screen}, ${colorScheme}`] = results.violations.flatMap(({ id, nodes }) =>
          nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
        );
      }
    };
    const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();

    /** Leave the dialog, which is gone before the next key. */
    const leave = async () => {
      await page.keyboard.press('Escape');
      await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
    };

    await goTo('data/orders');
    await page.getByText('20,000 records').waitFor();
    await check('list');
    await page.keyboard.press('/');
    await page.keyboard.type('sta');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await check('completions');
    await page.getByRole('combobox', { name: 'Search' }).fill('');
    await page.getByRole('grid').focus();
    for (const [key, title] of [
      ['v', 'Save view'],
      ['l', 'Log'],
      ['y', 'The requests of this screen'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('dialog', { name: title }).waitFor();
      await check(title);
      await leave();
    }
    await press('Export');
    await page.getByRole('dialog', { name: 'Export' }).waitFor();
    await check('export');
    await leave();
    await page.keyboard.press('f');
    await page.getByRole('combobox', { name: 'Operator' }).waitFor();
    await check('filters');
    await leave();
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Columns' }).waitFor();
    await check('columns');
    await leave();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').waitFor();
    await check('palette');
    await leave();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Settings and keys' }).waitFor();
    await check('settings');
    // A key that comes as soon as a dialog is gone is not lost.
    for (let again = 0; again < 10; again += 1) {
      await leave();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Settings and keys' }).waitFor();
    }
    await goTo('data/customers/1');
    await page.getByRole('figure').first().waitFor();
    await check('record');
    await press('Edit');
    await page.locator('.cm-content').first().waitFor();
    await check('form');
    await page.getByRole('textbox', { name: 'phone' }).fill('1');
    await press('New in addresses');
    await page.getByRole('dialog', { name: 'New in addresses' }).getByLabel('street').waitFor();
    await check('new related record');
    await leave();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('button', { name: 'Take it' }).waitFor();
    await check('offered draft');
    await goTo('data/orders/1');
    await press(/^Actions/);
    await page.getByRole('dialog', { name: 'Actions' }).waitFor();
    await check('menu');
    await page.getByRole('button', { name: 'Refund' }).click();
    await page.getByLabel('Amount').waitFor();
    await check('action');
    await goTo('data/orders/1');
    await page.getByRole('region', { name: 'Notes' }).waitFor();
    await page.keyboard.press('m');
    for (const title of ['Late', 'Lost']) {
      await press('New note');
      await page.getByRole('textbox', { name: 'Title' }).fill(title);
      await page.getByRole('textbox', { name: /^Text/ }).fill('See https://example.test/a');
      await press('Send');
      await page.getByRole('article', { name: title }).waitFor();
    }
    await page.getByRole('article', { name: 'Lost' }).getByRole('button', { name: 'Archive' }).click();
    await page.getByText('archived', { exact: true }).waitFor();
    await press('Reply');
    await page.getByRole('form', { name: 'Reply' }).getByRole('textbox').waitFor();
    await check('notes');
    await goTo('inbox');
    await page.getByRole('region', { name: 'Earlier' }).getByText('Late').waitFor();
    await check('inbox');
    await goTo('insights');
    await page.getByRole('heading', { name: 'Missing indexes' }).waitFor();
    await check('insights');
    await goTo('import/orders');
    await page.getByLabel('Or a table from a spreadsheet').fill('reference\tother\nA-1\tx');
    await press('Check');
    await page.getByText(/Wrong: \d/).waitFor();
    await check('import');
    await page.setViewportSize({ width: 390, height: 800 });
    await goTo('data/orders');
    await page.getByRole('rowheader').first().waitFor();
    await check('cards');
    await page.setViewportSize({ width: 1280, height: 720 });
    await goTo('charts');
    await page.locator('canvas').first().waitFor();
    await check('charts');
    await goTo('dashboards/all');
    await page.locator('canvas').first().waitFor();
    await check('dashboard');
    await goTo('log/activity?collectionName=customers');
    await page.getByRole('grid', { name: 'Activity' }).getByRole('link').first().click();
    await page.getByRole('dialog').getByText('Request id').waitFor();
    await check('row of the log');
    await leave();
    await check('log');
    await goTo('rights');
    await press('Begin with everything allowed');
    await page.getByRole('combobox', { name: 'Show the rights of' }).waitFor();
    await check('rights');
    await press(/Rules for orders/);
    await press('Fields: Change');
    await page.getByRole('combobox', { name: 'Values of status' }).waitFor();
    await check('rules for fields');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(1);
    await check('rules');
    await press('Refund: Change');
    await page.getByRole('combobox', { name: 'A run needs an approval' }).selectOption('on some records');
    await page.getByRole('combobox', { name: 'Operator' }).waitFor();
    await check('rules for an action');
    await leave();
    await press('Name every team of the project');
    await press('Add a chart');
    await page.getByRole('dialog', { name: 'New chart' }).getByLabel('Type').selectOption('Leaderboard');
    await page.getByLabel('Field that names a record').waitFor();
    await check('new chart');
    await leave();
    await page.getByRole('checkbox').first().click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page
      .getByRole('dialog', { name: 'Review and save' })
      .getByText(/last 30 days/)
      .first()
      .waitFor();
    await check('review of rights');
    await leave();
    const context = flowContext(root);
    const { client } = await connectToPlatform(
      context,
      await openProject(context.fs, root, context.variables),
      undefined,
    );
    await deliverTwice(client);
    await client.changeVariables({ set: { REGION: 'north' }, unset: [], base: 0 });
    await goTo('deliveries/versions/2');
    await page.getByText('field total of orders: type: String → Number').waitFor();
    await check('version');
    await leave();
    await check('versions');
    await press('Roll back');
    await page.getByText('Some changes may break what others rely on').waitFor();
    await check('rollback');
    await leave();
    await goTo('deliveries/variables');
    await page.getByText('REGION').waitFor();
    await check('variables');
    await goTo('doctor');
    await page.getByText('Nothing is in the way').waitFor();
    await check('doctor');
    await goTo('access');
    await press('Create a token');
    await page.getByRole('dialog', { name: 'Create a token' }).waitFor();
    await check('new token');
    await leave();
    await check('tokens');
    for (const part of ['clients', 'sign-on', 'playground']) {
      await goTo(`access/${part}`);
      await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
      await check(part);
    }
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await check('answer of a tool');
    expect(Object.entries(violations).filter(([, found]) => found.length > 0)).toEqual([]);
  });

  it('has no part of a screen beyond the edge, from 320 to 2,560 pixels', { tags: 'long' }, async () => {
    const { page, goTo } = await openConsole(openPage, await startDevSession());
    for (const place of [
      ...['data/orders', 'data/orders/1', 'new/orders', 'import/orders', 'log/activity'],
      ...['deliveries/versions', 'deliveries/hosts', 'deliveries/log', 'deliveries/variables'],
      ...['access/playground', 'rights', 'doctor'],
    ]) {
      await goTo(place);
      await page.locator('main h1').first().waitFor();
      for (const width of [320, 768, 2560]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    }
  });

  it('speaks another language without a word of English', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const { page, goTo } = await openConsole(openPage, session);
    await page.evaluate('localStorage.setItem("vendor-cloud preferences", JSON.stringify({ language: "en-XA" }))');
    await goTo('data/tags');
    await page.getByRole('row').nth(3).waitFor();
    const texts = (await page.evaluate(
      '[...document.querySelectorAll("main button, header button, h1, input[placeholder]")].filter((e) => !e.closest("[role=grid]")).map((e) => e.textContent || e.placeholder)',
    )) as string[];
    expect(texts.filter((text) => /[a-z]{4}/i.test(text) && !text.startsWith('[') && text !== 'tags')).toEqual([]);
  });
});
