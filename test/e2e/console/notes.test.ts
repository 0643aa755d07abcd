import { expect, it } from 'vitest';
import { document, seeing, startApprovalShop } from '../../helpers/approval-shop.ts';
import { describeInChromium, type OpenPage } from '../../helpers/chromium.ts';

type Shop = Awaited<ReturnType<typeof startApprovalShop>>;

/** The console in a browser that somebody is signed in with. */
async function consoleOf(openPage: OpenPage, { shop }: Shop, personId: number) {
  const { page, complaints } = await openPage();
  await page.goto(shop.sandbox.makeSignInLink(personId).link);
  await page.waitForURL(/\/console\/development/);
  const goTo = async (place: string) => void (await page.goto(`${shop.sandbox.url}/console/development/${place}`));
  return { page, complaints, goTo };
}

describeInChromium('notes in the console', (openPage) => {
  it('mention somebody, who sees it in the bar at once, reads it and answers', { tags: 'long' }, async () => {
    const started = await startApprovalShop();
    const paid = { field: 'status', operator: 'equal', value: 'paid' };
    const roles = { ...document.roles, Cashiers: { collections: { orders: { ...seeing, scope: paid } } } };
    await started.setRights({ roles });
    const [bob, cara] = [await started.join('Bob', 'Support'), await started.join('Cara', 'Managers')];
    await started.join('Cash', 'Cashiers');
    const writer = await consoleOf(openPage, started, bob.id);
    const reader = await consoleOf(openPage, started, cara.id);
    await reader.page.getByText('A-1', { exact: true }).waitFor();
    expect(await reader.page.getByRole('link', { name: /^Inbox/ }).textContent()).toBe('Inbox ');

    await writer.goTo('data/orders/2');
    await writer.page.getByRole('heading', { name: /A-2/ }).waitFor();
    await writer.page.keyboard.press('m');
    const panel = writer.page.getByRole('region', { name: 'Notes' });
    await panel.getByText('There is no note on this record.').waitFor();
    await panel.getByRole('button', { name: 'New note' }).click();
    await writer.page.keyboard.type('Late');
    // A reload does not lose what is not sent.
    await writer.page.reload();
    await writer.page.getByRole('heading', { name: /A-2/ }).waitFor();
    await writer.page.keyboard.press('m');
    await panel.getByRole('button', { name: 'New note' }).click();
    await expect.poll(() => panel.getByRole('textbox').first().inputValue()).toBe('Late');
    await writer.page.keyboard.press('End');
    await writer.page.keyboard.type(' <again>');
    const text = panel.getByRole('textbox', { name: /^Text/ });
    await text.click();
    await writer.page.keyboard.type('Where is it?\nhttps://example.test/a\n\nAsk @ca');
    // Cash does not see drafts, so nobody offers the name.
    await panel.getByRole('option').first().waitFor();
    expect(await panel.getByRole('option').allTextContents()).toEqual(['Cara Operations']);
    await writer.page.keyboard.press('Enter');
    await writer.page.keyboard.type('please.');
    await writer.page.keyboard.press('Control+Enter');
    const thread = panel.getByRole('article', { name: 'Late <again>' });
    await thread.getByText('Ask @Cara please.').waitFor();
    expect(await thread.getByRole('link').getAttribute('href')).toBe('https://example.test/a');
    await panel.getByRole('button', { name: 'Notes 1 open' }).waitFor();

    // Nobody loads the page again: the number is in the bar.
    await reader.page.getByRole('link', { name: 'Inbox 1' }).waitFor();
    await reader.page.keyboard.press('g');
    await reader.page.keyboard.press('n');
    const news = reader.page.getByRole('region', { name: 'News' });
    await news.getByText('mentions you').waitFor();
    await news.getByRole('link', { name: /^Late <again>/ }).click();
    const seen = reader.page.getByRole('article', { name: 'Late <again>' });
    await seen.getByText('new', { exact: false }).first().waitFor();
    // What somebody sees they have read.
    await reader.page.getByRole('link', { name: /^Inbox\s*$/ }).waitFor();
    expect(await seen.getByRole('button', { name: 'Archive' }).count()).toBe(0);
    await seen.getByRole('button', { name: 'Reply' }).click();
    await reader.page.keyboard.type('It left today.');
    await seen.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => reader.page.locator(':focus').textContent()).toBe('Reply');
    const answers = await seen.getByRole('listitem').allTextContents();
    expect(answers.map((answer) => answer.includes(' · new'))).toEqual([true, false]);

    // The thread is on the screen of who began it, who has read it with that.
    await thread.getByText('It left today.').waitFor();
    await thread.getByRole('button', { name: 'Rename' }).click();
    await thread.getByRole('textbox', { name: 'Title (required)' }).fill('Found');
    await thread.getByRole('button', { name: 'Save' }).click();
    await reader.page.getByRole('article', { name: 'Found' }).waitFor();
    await panel.getByRole('article', { name: 'Found' }).getByRole('button', { name: 'Archive' }).click();
    await reader.page.getByText('archived', { exact: true }).waitFor();
    await reader.goTo('inbox');
    await reader.page.getByText('There is no news for you').waitFor();
    expect([...writer.complaints, ...reader.complaints]).toEqual([]);
  });
});
