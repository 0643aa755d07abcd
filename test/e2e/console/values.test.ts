import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { projectConfigFile } from '#contracts/project-config';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createProjectWith } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';
import { startMariadb, whyNoMariadb } from '../../helpers/mariadb-server.ts';
import { createShopProject } from '../../helpers/shop-project.ts';

/** A picture of one point. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describeInChromium('values of every kind in the console', (openPage) => {
  it('are shown whole, changed without loss, and never taken for something else', { tags: 'long' }, async () => {
    const root = await createProjectWith(
      `create table things (id integer primary key, label text, ref text, photo blob, paper blob, body text, big integer, "__proto__" text, data json)`,
      `insert into things values (1, null, 'R-1', x'${png.toString('hex')}', x'${Buffer.from('<svg onload="x"/>').toString('hex')}',
        '${'long '.repeat(60)}end', 9007199254740993, 'hidden', '{"__proto__":{"a":1},"n":1.5}')`,
    );
    await writeFile(
      path.join(root, 'src/index.ts'),
      `import type { Agent } from '@vendor/cloud';
       import type { Schema } from '../typings.js';
       export default function customize(agent: Agent<Schema>): void {
         agent.customizeCollection('things', (things) =>
           things.addField('place', { columnType: 'Point', dependencies: ['id'], getValues: (records) => records.map(() => '48.85,2.35') }));
       }`,
    );
    const { page, complaints, goTo } = await openConsole(openPage, await startDevSession(root));
    await goTo('data/things/1');
    // A point stands where it is between the poles: north is up.
    const point = page.getByRole('definition').filter({ hasText: '48.85,2.35' }).locator('circle');
    await expect
      .poll(() => point.evaluate((dot) => ['cx', 'cy'].map((name) => dot.getAttribute(name))))
      .toEqual(['2.35', '-48.85']);
    // The title field is empty, so that the key names the record.
    await page.getByRole('heading', { name: 'things 1' }).waitFor();
    const picture = page.getByRole('definition').getByRole('img');
    await expect.poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(1);
    expect(await picture.count()).toBe(1);
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save file' }).last().click();
    expect((await downloading).suggestedFilename()).toBe('file');
    await page.getByRole('button', { name: '303 byte, open' }).click();
    await page.getByText(/long end$/).waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'ref' }).fill('R-2');
    expect(await page.getByRole('textbox', { name: '__proto__' }).count()).toBe(0);
    const photo = page.getByLabel('photo');
    await photo.setInputFiles({ name: 'run.png', mimeType: 'image/png', buffer: Buffer.from('MZ') });
    await page.getByText('The content of run.png is not what its name says.').waitFor();
    await photo.setInputFiles({ name: 'empty.png', mimeType: 'image/png', buffer: Buffer.alloc(0) });
    await page.getByText('The file is empty.').waitFor();
    await photo.setInputFiles({ name: 'new.png', mimeType: 'image/png', buffer: png });
    await page.getByText('new.png').waitFor();
    await page.getByText('2 fields changed').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    const values = page.getByRole('definition');
    await values.getByText('R-2', { exact: true }).waitFor();
    await values.getByText('hidden', { exact: true }).waitFor();
    await values.getByText('9007199254740993', { exact: true }).waitFor();
    await values.getByText('{"__proto__":{"a":1},"n":1.5}', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await values.getByText('R-1', { exact: true }).waitFor();
    await values.getByText('hidden', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  const reason = whyNoMariadb();
  it.skipIf(reason !== undefined)(
    `of columns of durations are typed in forms, cells and filters${reason === undefined ? '' : ` (skipped: ${reason})`}`,
    { tags: 'long' },
    async () => {
      const server = await startMariadb();
      onTestFinished(() => server.stop());
      const database = await server.createDatabase('shop', [
        'create table shifts (id int auto_increment primary key, name varchar(20), worked time)',
        "insert into shifts (name, worked) values ('long', '100:00:00'), ('short', '08:00:00')",
      ]);
      const root = await createShopProject();
      const uri = `mariadb://${server.user}:${encodeURIComponent(server.password)}@${server.host}:${server.port}/${database}`;
      await writeFile(
        path.join(root, projectConfigFile),
        JSON.stringify({ name: 'shop', dataSources: { main: { uri } } }),
      );
      await writeFile(path.join(root, 'src/index.ts'), 'export default () => undefined;');
      const { page, complaints, goTo } = await openConsole(openPage, await startDevSession(root));
      const wrong = 'A duration is written 120:30:00 or -05:00:00, and is shorter than 839 hours.';

      await goTo('data/shifts/1');
      await page.getByRole('button', { name: 'Edit' }).click();
      const worked = page.getByRole('textbox', { name: 'worked' });
      for (const text of ['five hours', '839:00:00', '10:60:00']) {
        await worked.fill(text);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText(wrong).waitFor();
        await expect.poll(() => worked.getAttribute('aria-invalid')).toBe('true');
        await worked.fill('');
      }
      await worked.fill('120:30:00');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('definition').getByText('120:30:00').waitFor();

      await goTo('data/shifts');
      await page.getByRole('gridcell', { name: '08:00:00' }).click();
      await page.keyboard.press('F2');
      const cell = page.getByRole('grid').getByRole('textbox', { name: 'worked' });
      await cell.fill('-5');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText(wrong).waitFor();
      await cell.fill('-05:00:00');
      await page.keyboard.press('Enter');
      await page.getByRole('gridcell', { name: '-05:00:00' }).waitFor();

      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      const filters = page.getByRole('dialog', { name: 'Filters' });
      await filters.getByRole('combobox', { name: 'Field' }).selectOption('worked');
      await filters.getByRole('textbox').last().fill('-05:00:00');
      await filters.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('1 record', { exact: true }).waitFor();
      await page.getByRole('gridcell', { name: 'short' }).waitFor();
      expect(complaints).toEqual([]);
    },
  );
});
