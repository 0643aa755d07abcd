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
      'create table "<b>a/b?c#d</b>" (id integer primary key, "ערך" text, "名前" text)',
      `insert into "<b>a/b?c#d</b>" values (1, 'שלום', '<i>x</i>')`,
    );
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession(root));
    await goTo(`data/${encodeURIComponent('<b>a/b?c#d</b>')}`);
    await page.getByRole('gridcell', { name: 'שלום' }).waitFor();
    await page.getByRole('gridcell', { name: '<i>x</i>' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describeInChromium('a browser without a network', (openPage) => {
  it('says that nothing answers, and keeps what was typed', async () => {
    const { page, goTo } = await openConsole(openPage, await startDevSession());
    await goTo('data/customers/1');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'phone' }).fill('+1 555');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Whether the record was saved is not known.').waitFor();
    expect(await page.getByRole('textbox', { name: 'phone' }).inputValue()).toBe('+1 555');
    const save = page.getByRole('button', { name: 'Save' });
    expect(await save.isDisabled()).toBe(true);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Find out' }).click();
    await page.getByText('It was not saved. You can save it now.').waitFor();
    await save.click();
    await page.getByRole('definition').getByText('+1 555').waitFor();
  });
});
