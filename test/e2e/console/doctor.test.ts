import { rename } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('the doctor in the console', (openPage) => {
  it('says what is fine, and what fails with what to do', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const { page, complaints } = await openConsole(openPage, session);
    await page.getByRole('link', { name: 'Doctor' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('x');
    await page.getByText('Nothing is in the way').waitFor();
    await page.getByRole('row', { name: /fine Node\.js/ }).waitFor();

    await rename(path.join(session.root, 'shop.sqlite'), path.join(session.root, 'moved.sqlite'));
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByText('Something is in the way').waitFor();
    const first = page.getByRole('row').nth(1);
    expect(await first.textContent()).toContain('failed');
    expect(await first.getByRole('rowheader').textContent()).toContain('main');
    expect(complaints).toEqual([]);
  });
});
