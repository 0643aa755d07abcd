import { expect, it } from 'vitest';
import { startApprovalShop } from '../../helpers/approval-shop.ts';
import { describeInChromium, type OpenPage } from '../../helpers/chromium.ts';

type Shop = Awaited<ReturnType<typeof startApprovalShop>>;

/** The console in a browser that somebody is signed in with. */
async function consoleOf(openPage: OpenPage, { shop }: Shop, personId: number) {
  const { page, complaints } = await openPage();
  await page.goto(shop.sandbox.makeSignInLink(personId).link);
  await page.waitForURL(/\/console\/development/);
  const goTo = (place: string) => page.goto(`${shop.sandbox.url}/console/development/${place}`);
  return { page, complaints, goTo };
}

describeInChromium('approvals in the console', (openPage) => {
  it('are asked for by one person and granted by another, who learns about it at once', async () => {
    const started = await startApprovalShop();
    const bob = await started.join('Bob', 'Support');
    const cara = await started.join('Cara', 'Managers');
    const asker = await consoleOf(openPage, started, bob.id);
    const approver = await consoleOf(openPage, started, cara.id);
    const other = await consoleOf(openPage, started, bob.id);
    await other.page.getByText('A-1', { exact: true }).waitFor();
    await approver.goTo('data/orders');
    await approver.page.getByText('A-1', { exact: true }).waitFor();
    expect(await approver.page.getByRole('link', { name: /^Approvals/ }).count()).toBe(0);
    await approver.goTo('approvals');
    await approver.page.getByRole('heading', { name: 'No request waits for you' }).waitFor();
    expect(await approver.page.getByRole('link', { name: 'Open the rights' }).count()).toBe(0);
    await approver.goTo('data/orders');
    await approver.page.getByText('A-1', { exact: true }).waitFor();

    await asker.goTo('data/orders/2');
    await asker.page.getByRole('button', { name: /^Actions/ }).click();
    await asker.page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name: 'Ship' }).click();
    const form = asker.page.getByRole('dialog', { name: 'Ship' });
    // Form and reason stand on one page, so that what is wrong with the form is said beside it, and the reason stays.
    await form.getByLabel('Why it should run').fill('It waits since Monday.');
    await form.getByRole('button', { name: 'Ask for an approval' }).click();
    await form.getByText('The field "Carrier" of the form is required').waitFor();
    await form.getByLabel('Carrier').fill('Rail');
    expect(await form.getByLabel('Why it should run').inputValue()).toBe('It waits since Monday.');
    await form.getByRole('button', { name: 'Ask for an approval' }).click();
    await asker.page.getByText('Request 1 waits for an approval').waitFor();
    expect(started.runs).toEqual([]);

    // Nobody loads the page again: the number is in the bar.
    await approver.page.getByRole('link', { name: 'Approvals 1' }).waitFor();
    await approver.page.keyboard.press('g');
    await approver.page.keyboard.press('a');
    await approver.page.getByRole('link', { name: /^Ship/ }).click();
    await approver.page.getByText('It waits since Monday.').waitFor();
    const table = approver.page.getByRole('region', { name: /^Records/ });
    await table.getByRole('link', { name: 'A-2', exact: true }).waitFor();
    // Managers see no totals.
    expect(await table.getByText('total').count()).toBe(0);
    expect(await approver.page.getByRole('region', { name: 'Form' }).textContent()).toContain('Rail');
    // The page of the record says that a request waits, and so does the action that was asked for.
    await asker.goTo('data/orders/2');
    await asker.page.getByText('1 request waits for an approval').waitFor();
    await asker.page.getByRole('button', { name: /^Actions/ }).click();
    await asker.page.getByRole('link', { name: 'Ship Request 1 waits for an approval' }).waitFor();
    await asker.page.keyboard.press('Escape');
    await asker.page.getByRole('link', { name: 'Ship, asked by Bob' }).click();
    await asker.page.getByText('waits', { exact: true }).waitFor();
    expect(await asker.page.getByRole('button', { name: 'Grant' }).count()).toBe(0);

    await approver.page.keyboard.press('a');
    const answer = approver.page.getByRole('dialog', { name: 'Grant' });
    await answer.getByText('in the name of Bob').waitFor();
    await approver.page.keyboard.type('Go.');
    await answer.getByRole('button', { name: 'Grant' }).press('Enter');
    await approver.page.getByRole('dialog', { name: 'Ship' }).getByText('Shipped for bob@example.test.').waitFor();
    expect(started.runs).toEqual([['bob@example.test', 'Support', [2], 'Rail']]);
    await asker.page.getByText('granted · the action succeeded').waitFor();
    const told = asker.page.getByRole('region', { name: 'Answer of the action' });
    await told.getByText('Shipped for bob@example.test.').waitFor();
    await asker.page.getByText('Go.', { exact: true }).waitFor();

    // Another window of the asker says that there is an answer, until somebody looks at it.
    await other.page.getByRole('link', { name: 'Approvals 1' }).waitFor();
    await other.page.getByTitle('1 of yours was answered').waitFor();
    await other.page.getByRole('link', { name: 'Approvals 1' }).click();
    await other.page.getByRole('link', { name: /^Ship.* · new$/ }).waitFor();
    await other.page.getByRole('link', { name: 'Approvals', exact: true }).waitFor();

    // The platform reads whether somebody wants mails.
    await asker.page.keyboard.press('?');
    const kept = asker.page.waitForResponse((response) => /approvalMails/.test(response.request().postData() ?? ''));
    await asker.page.getByRole('checkbox', { name: /^Get mails about approvals/ }).uncheck();
    expect((await (await kept).json()) as unknown).toMatchObject({ preferences: { approvalMails: false } });
    // A page that was open before changes something else, and leaves that as it is.
    const earlier = other.page.waitForResponse((response) =>
      /"theme":"(?!system)/.test(response.request().postData() ?? ''),
    );
    await other.page.keyboard.press('?');
    await other.page.getByRole('combobox', { name: 'Theme' }).selectOption({ index: 1 });
    expect((await (await earlier).json()) as unknown).toMatchObject({ preferences: { approvalMails: false } });
    expect([...asker.complaints, ...approver.complaints]).toEqual([]);
  });

  it('say why they cannot be granted, and are refused and withdrawn', { tags: 'long' }, async () => {
    const started = await startApprovalShop();
    const bob = await started.join('Bob', 'Support');
    const cara = await started.join('Cara', 'Managers');
    const outdated = await started.ask(bob, ['2']);
    const own = await started.ask(bob, ['3']);
    await started.change("update orders set ref = 'B-2' where id = 2");
    const approver = await consoleOf(openPage, started, cara.id);
    await approver.goTo(`approvals/${outdated}`);
    await approver.page.getByText('"ref" of the record 2 changed').waitFor();
    expect(await approver.page.getByRole('button', { name: 'Grant' }).isDisabled()).toBe(true);
    // A letter in the first second of a page stands for itself: nobody has pressed "g" before it.
    await approver.page.evaluate(`{
      const early = new KeyboardEvent('keydown', { key: 'd', bubbles: true });
      Object.defineProperty(early, 'timeStamp', { value: 500 });
      document.body.dispatchEvent(early);
    }`);
    await approver.page.getByRole('dialog', { name: 'Refuse' }).getByLabel('Your comment').fill('Look again.');
    await approver.page.getByRole('dialog', { name: 'Refuse' }).getByRole('button', { name: 'Refuse' }).click();
    await approver.page.getByText('refused', { exact: true }).waitFor();
    const asker = await consoleOf(openPage, started, bob.id);
    await asker.goTo(`approvals/${own}`);
    await asker.page.getByRole('button', { name: 'Withdraw' }).click();
    await asker.page.getByRole('dialog', { name: 'Withdraw' }).getByRole('button', { name: 'Withdraw' }).click();
    await asker.page.getByText('withdrawn', { exact: true }).waitFor();
    expect([started.runs, ...asker.complaints, ...approver.complaints]).toEqual([[]]);
  });
});
