import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';
import { flowContext } from '../../helpers/flow-context.ts';
import { createShopProject } from '../../helpers/shop-project.ts';

const wide = Array.from({ length: 200 }, (_, index) => `"column ${index + 1}" text`);
const tables = [
  ...['count', 'x.csv', 'a/b', 'Ünï'].map((name) => `create table "${name}" (id integer primary key, "text" text)`),
  ...['count', 'x.csv', 'a/b', 'Ünï'].map((name) => `insert into "${name}" values (1, 'row of ${name}')`),
  'create table pairs (one text, other text, note text, primary key (one, other))',
  "insert into pairs values ('a/b', 'ü %25?#', 'the note')",
  `create table wide (id integer primary key, ${wide.join(', ')})`,
  'insert into wide (id, "column 1", "column 150", "column 200") values (1, \'first\', \'middle\', \'last\')',
  'create table odd (id integer primary key, "__proto__" text, "<img src=x onerror=alert(1)>" text, "\u202Eabc" text)',
  "insert into odd values (1, 'of proto', '<b>bold</b>', 'turned')",
  'create table nothing_yet (id integer primary key, "text" text)',
  'create table marked (id blob primary key, note text)',
  "insert into marked values (x'0a1f', 'of bytes')",
  "create table moods (id integer primary key, mood text check (mood in ('good', '<b>bad</b>')), note text)",
  'pragma ignore_check_constraints = on',
  "insert into moods values (1, '<i>odd</i>', 'before'), (2, '<b>bad</b>', null)",
];

const code = `
import type { Agent } from '@vendor/cloud';
import type { Schema } from '../typings.js';

let calls = 0;

export default function customize(agent: Agent<Schema>): void {
  agent.customizeCollection('tags', (tags) => tags.disableCount());
  agent.customizeCollection('orders', (orders) => {
    orders
      .addSegment('Works', { field: 'status', operator: 'Equal', value: 'paid' })
      .addSegment('Broken', () => {
        // The code is tried once when it is loaded.
        calls += 1;
        if (calls > 1) throw new Error('of the segment');
        return { field: 'status', operator: 'Equal', value: 'paid' };
      });
  });
}
`;

describeInChromium('edge cases of lists', (openPage) => {
  it('9, 15, 16, 19 to 22, 25 to 27, 30, 31, 49 and 50', { tags: 'long' }, async () => {
    const root = await createShopProject();
    const database = await flowContext(root).openDatabase(path.join(root, 'shop.sqlite'));
    for (const statement of tables) database.execute(statement);
    database.close();
    await writeFile(path.join(root, 'src/index.ts'), code);
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession(root));
    const grid = page.getByRole('grid');
    const cell = (text: string) => grid.getByText(text, { exact: true });

    // 26: names that routes have, or that need escaping.
    for (const name of ['count', 'x.csv', 'a/b', 'Ünï']) {
      await goTo(`data/${encodeURIComponent(name)}`);
      await cell(`row of ${name}`).waitFor();
    }

    // 25: a key of two parts with what addresses use.
    await goTo('data/pairs');
    await cell('the note').waitFor();
    await grid.getByRole('rowheader').getByRole('link').click();
    await page.getByRole('definition').getByText('the note').waitFor();
    expect(decodeURIComponent(new URL(page.url()).pathname)).toContain('pairs/a/b|ü %25?#');

    // 27: header and cells stand below each other, at both ends.
    await goTo(`data/wide?columns=${Array.from({ length: 200 }, (_, index) => `column ${index + 1}`).join(',')}`);
    await cell('first').waitFor();
    await grid.focus();
    await page.keyboard.press('End');
    await cell('last').waitFor();
    const left = async (role: 'columnheader' | 'gridcell', text: string) =>
      (await grid.getByRole(role).filter({ hasText: text }).boundingBox())?.x;
    expect(await left('gridcell', 'last')).toBe(await left('columnheader', 'column 200'));
    expect(await grid.getByRole('gridcell').count()).toBeLessThan(30);

    // 9: names that objects know, that are HTML, or that turn the line round.
    await goTo('data/odd');
    await cell('of proto').waitFor();
    await cell('<b>bold</b>').waitFor();
    await grid.getByRole('columnheader', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    await grid.getByRole('rowheader').getByRole('link').click();
    await page.getByRole('definition').getByText('of proto').waitFor();

    // 9, 16: HTML is text in enumerations too. A value that the schema lacks has a mark, and stays when something else is saved.
    await goTo('data/moods');
    await cell('<b>bad</b>').waitFor();
    await grid
      .getByRole('gridcell')
      .filter({ hasText: '<i>odd</i>' })
      .getByTitle('The schema does not have this value')
      .waitFor();
    await goTo('data/moods/1');
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await page.getByLabel('mood').locator('option').allTextContents()).toEqual(
      expect.arrayContaining(['<i>odd</i>', 'good', '<b>bad</b>']),
    );
    await page.getByRole('textbox', { name: 'note' }).fill('after');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('after').waitFor();
    await page.getByRole('definition').getByText('<i>odd</i>').waitFor();
    // 9: and so it is in an error.
    await goTo(`data/moods?segment=${encodeURIComponent('<img src=x onerror=alert(1)>')}`);
    await page.getByRole('alert').getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await page.locator('main img').count()).toBe(0);

    // 15: a key of bytes is hexadecimal, in the list, in the address and as a text that can be copied.
    await goTo('data/marked');
    await grid.getByRole('rowheader').getByRole('link', { name: '0a1f' }).click();
    await page.waitForURL(/data\/marked\/0a1f$/);
    await page.getByRole('definition').getByText('of bytes').waitFor();
    await page.getByRole('heading', { name: 'marked 0a1f' }).waitFor();

    // 19: nobody counts, and every row is there.
    await goTo('data/tags');
    await grid.getByRole('rowheader').first().waitFor();
    await expect.poll(() => page.getByRole('status').allTextContents()).toContainEqual(expect.stringMatching(/record/));

    // 30: a segment that fails shows its error, and the others work.
    await goTo('data/orders?segment=Broken');
    await page.getByRole('alert').getByText('CUSTOMIZATION').waitFor();
    await page.getByRole('button', { name: 'Works' }).click();
    await cell('paid').first().waitFor();

    // 20: a count that takes long keeps no row waiting, and is stopped.
    await page.route('**/orders/count?*', () => {});
    await goTo('data/orders');
    await cell('2024-000001').waitFor();
    await page.getByRole('button', { name: 'Stop counting' }).click();
    await page.getByText('Not counted').waitFor();
    await page.unroute('**/orders/count?*');

    // 21: the last of three sorts wins, and the others are given up.
    const givenUp: string[] = [];
    page.on('requestfailed', (request) => givenUp.push(new URL(request.url()).searchParams.get('sort') ?? ''));
    await page.route(/\/orders\?.*sort=-?reference/, () => {});
    const title = grid.getByRole('columnheader', { name: 'reference' }).getByRole('button', { name: /^reference/ });
    await title.click();
    await title.click();
    await grid
      .getByRole('columnheader', { name: 'total' })
      .getByRole('button', { name: /^total/ })
      .click();
    await grid.getByRole('columnheader', { name: 'total' }).getByText('↑').waitFor();
    await expect.poll(() => givenUp).toEqual(['reference', '-reference']);
    await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('total');

    // 22: a list that becomes shorter than the place where somebody is shows its last rows. Another search begins at the first.
    await goTo('data/orders');
    await page.getByText('20,000 records').waitFor();
    await grid.focus();
    await page.keyboard.press('Control+End');
    await cell('20000').waitFor();
    await page.getByRole('combobox', { name: 'Search' }).fill('id:<=320');
    await page.keyboard.press('Enter');
    await page.getByText('320 records').waitFor();
    await cell('1').waitFor();
    await grid.focus();
    await page.keyboard.press('Control+End');
    await cell('320').waitFor();
    const shop = await flowContext(root).openDatabase(path.join(root, 'shop.sqlite'));
    shop.execute('pragma foreign_keys = off');
    shop.execute('delete from orders where id between 121 and 320');
    shop.close();
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole('button', { name: 'This list changed' }).click();
    await page.getByText('120 records').waitFor();
    await cell('120').waitFor();

    // 31: three reasons for nothing.
    await page.getByRole('combobox', { name: 'Search' }).fill('nobody has this');
    await page.keyboard.press('Enter');
    await page.getByText('No record matches').waitFor();
    await goTo('data/nothing_yet');
    await page.getByText('nothing_yet has no records').waitFor();
    /** Answer the schema of a collection with one thing changed. */
    const changeSchema = async (collection: string, before: string, after: string) => {
      const schema = await page.evaluate(
        async (place) => (await fetch(place, { headers: { 'service-client': 'console' } })).text(),
        `/console/agent/development/_internal/schema/${collection}?timezone=UTC`,
      );
      const body = schema.replace(before, after);
      await page.route(new RegExp(`_internal/schema/${collection}`), (route) =>
        route.fulfill({ contentType: 'application/json', body }),
      );
    };
    await changeSchema('nothing_yet', '"isScoped":false', '"isScoped":true');
    await goTo('data/nothing_yet');
    await page.getByText('Nothing of nothing_yet is in the scope of your team').waitFor();

    // 50: records that the person may browse and not read have no link, and the key says why.
    await changeSchema('customers', '"read":true', '"read":false');
    await goTo('data/customers');
    await page.getByRole('rowheader').nth(1).waitFor();
    expect(await page.getByRole('rowheader').getByRole('link').count()).toBe(0);
    await page.getByRole('grid').press('Enter');
    await page.getByText('so its records have no page for you').waitFor();

    // 49: nobody gave the person a collection.
    await page.route(/_internal\/schema\?/, (route) =>
      route.fulfill({
        json: { revision: 'x', collections: [], firstCollection: null, charts: [], dashboards: [], webhookOrigins: [] },
      }),
    );
    await goTo('');
    await page.getByText('Your role gives you the right "browse" on none of the collections of development.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('a record without a key is shown, says why it has no page, and cannot be chosen', { tags: 'long' }, async () => {
    const root = await createShopProject();
    const database = await flowContext(root).openDatabase(path.join(root, 'shop.sqlite'));
    database.execute('create table marks (code text primary key, note text)');
    database.execute("insert into marks values (null, 'of none'), ('null', 'of a text'), (null, 'of none, too')");
    database.close();
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession(root));
    const grid = page.getByRole('grid');
    await goTo('data/marks');
    await grid.getByText('of none, too').waitFor();
    const boxes = grid.getByRole('rowheader').getByRole('checkbox');
    const disabled = await Promise.all((await boxes.all()).map((box) => box.isDisabled()));
    expect(disabled).toEqual([true, true, false]);
    await grid.getByRole('columnheader').getByRole('checkbox').check();
    await grid.getByRole('row', { selected: true }).getByText('of a text').waitFor();
    expect(await grid.getByRole('row', { selected: true }).count()).toBe(1);
    await grid.getByRole('rowheader').getByRole('button').first().click();
    await page.getByText('This record has no key').waitFor();
    await grid.getByRole('rowheader').getByRole('link').click();
    await page.getByRole('definition').getByText('of a text').waitFor();
    expect(complaints).toEqual([]);
  });
});
