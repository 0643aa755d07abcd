import { expect, it } from 'vitest';
import { startApprovalShop } from '../../helpers/approval-shop.ts';
import { describeInChromium, type OpenPage } from '../../helpers/chromium.ts';

type Shop = Awaited<ReturnType<typeof startApprovalShop>>;

async function consoleOf(openPage: OpenPage, { shop }: Shop, personId: number) {
  const { page, complaints } = await openPage();
  await page.goto(shop.sandbox.makeSignInLink(personId).link);
  await page.waitForURL(/\/console\/development\/data\//);
  page.on('dialog', (dialog) => void dialog.accept());
  return { page, complaints };
}

describeInChromium('rights in the console', (openPage) => {
  it('are drafted, seen as a person, reviewed in sentences and set; a second draft sees the first', async () => {
    const started = await startApprovalShop();
    const bob = await started.join('Bob', 'Support');
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    const other = await consoleOf(openPage, started, started.shop.access.userId);
    for (const each of [page, other.page]) {
      await each.getByText('A-1', { exact: true }).waitFor();
      await each.keyboard.press('g');
      await each.keyboard.press('r');
      await each.getByRole('combobox', { name: 'Seen as' }).selectOption('Support');
    }

    await other.page.getByRole('checkbox', { name: 'Add orders' }).check();
    await page.getByRole('checkbox', { name: 'Edit orders' }).check();
    await page.getByRole('button', { name: /Rules for orders/ }).click();
    const rules = page.getByRole('dialog', { name: 'Rules for orders' });
    const text = rules.getByRole('textbox');
    const seen = JSON.parse(await text.inputValue()) as Record<string, unknown>;
    expect(seen).toMatchObject({ browse: true, edit: true, actions: { Ship: { trigger: true } } });
    await text.fill('{');
    await rules.getByRole('button', { name: 'Take it' }).click();
    await rules.getByText(/^This is not JSON/).waitFor();
    const scope = { field: 'status', operator: 'equal', value: 'draft' };
    await text.fill(JSON.stringify({ ...seen, scope }));
    await rules.getByRole('button', { name: 'Take it' }).click();
    await page.getByRole('combobox', { name: 'Seen as' }).selectOption({ label: 'Bob · bob@example.test' });
    const row = page.getByRole('row', { name: /^orders/ });
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      'some records',
      'some records',
      'some records',
      'no',
      'no',
      'no',
      '',
    ]);
    // Nobody has other rights so far.
    expect(JSON.stringify((await started.client.rights()).document)).not.toContain('scope');

    await page.keyboard.press('w');
    const review = page.getByRole('dialog', { name: 'Review and save' });
    await review.getByText('Role "Support" may edit "orders"').waitFor();
    await review.getByText('Role "Support" has its rights on "orders" only where status equal "draft"').waitFor();
    await review
      .getByText(/last 30 days/)
      .first()
      .waitFor();
    await review.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rights are in force').waitFor();
    expect((await started.client.rights()).document?.roles['Support']?.collections['orders']).toEqual({
      ...seen,
      scope,
    });

    // The page says to whoever began before what changed meanwhile.
    await other.page.getByRole('button', { name: 'Review and save' }).click();
    const second = other.page.getByRole('dialog', { name: 'Review and save' });
    await second.getByText('Somebody has changed the rights since you began').waitFor();
    await second.getByRole('region', { name: 'Taken away' }).getByText('Role "Support" may edit "orders"').waitFor();
    await second.getByRole('button', { name: 'Cancel' }).click();
    await other.page.getByRole('button', { name: 'Discard the draft' }).click();

    await other.page.getByRole('button', { name: 'The file' }).click();
    const file = other.page.getByRole('dialog', { name: 'The file' });
    await file.getByRole('textbox').fill('{"roles":{"Support":{"collections":{"order":{"browse":true}}}}}');
    await file.getByRole('button', { name: 'Take it' }).click();
    await other.page.getByRole('button', { name: 'Review and save' }).click();
    await second.getByText(/Did you mean "orders"/).waitFor();
    await second.getByText('No administrator could browse any collection').waitFor();
    await second.getByText('The role Administrators is not named (1 person).').waitFor();
    expect(await second.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);

    const without = await consoleOf(openPage, started, bob.id);
    expect(await without.page.getByRole('link', { name: 'Rights' }).count()).toBe(0);
    expect([...complaints, ...other.complaints]).toEqual([]);
  });

  it('are explained beside a refusal, with the line of the file for whoever may read it', async () => {
    const started = await startApprovalShop();
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    await page.goto(new URL('/console/development/data/orders/1', page.url()).href);
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('ref').fill('A-9');
    await page.getByText('1 field changed').waitFor();
    const { document, revision } = await started.client.rights();
    const seeing = { browse: true, read: true };
    const roles = { ...document?.roles, Administrators: { collections: { '*': seeing } } };
    await started.client.replaceRights({ document: { ...document, roles }, base: revision, allowLockout: false });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Why?' }).click();
    const why = page.getByRole('dialog', { name: 'Your rights on orders' });
    const row = why.getByRole('row', { name: /^Edit/ });
    await row.getByText('permissions.json, line 5: roles › Administrators › collections › *').waitFor();
    expect(await row.getByRole('cell').first().textContent()).toBe('no');
    await why.getByRole('link', { name: 'Open the rights' }).click();
    await page.getByRole('heading', { name: 'Rights' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
