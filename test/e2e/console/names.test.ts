import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createProjectWith } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('names in the console', (openPage) => {
  it('may be those that every object of JavaScript knows', async () => {
    const root = await createProjectWith(
      'create table "constructor" (id integer primary key, "valueOf" text, "toString" text)',
      `insert into "constructor" values (1, 'first', 'second')`,
    );
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession(root));
    await goTo('data/constructor');
    await page.getByRole('gridcell', { name: 'second' }).waitFor();
    await goTo('data/constructor/1');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'toString' }).fill('third');
    await page.getByText('1 field changed').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('third').waitFor();
    await page.getByRole('definition').getByText('first').waitFor();
    expect(complaints).toEqual([]);
  });

  it('may be in any script, and hold what HTML and addresses use', async () => {
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
    const saidOfKey = page.getByText('The key ".." cannot stand in an address');
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
});
