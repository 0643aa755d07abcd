import { expect, it } from 'vitest';
import { startApprovalShop } from '../../helpers/approval-shop.ts';
import { describeInChromium, type OpenPage } from '../../helpers/chromium.ts';

type Shop = Awaited<ReturnType<typeof startApprovalShop>>;

async function consoleOf(openPage: OpenPage, { shop }: Shop, personId: number) {
  const { page, complaints } = await openPage();
  await page.goto(shop.sandbox.makeSignInLink(personId).link);
  await page.waitForURL(/\/console\/development/);
  return { page, complaints };
}

describeInChromium('people in the console', (openPage) => {
  it('are invited, changed, deactivated and given a link by an administrator', { tags: 'long' }, async () => {
    const started = await startApprovalShop();
    const bob = await started.join('Bob', 'Support');
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    await page.getByText('A-1', { exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    const row = page.getByRole('row', { name: /bob@example\.test/ });
    await row.getByText('Support', { exact: true }).waitFor();

    const roles = page.getByRole('region', { name: 'Roles' });
    await roles.getByText('Support · 1 person').waitFor();
    expect(await roles.getByRole('link', { name: 'Open the rights' }).getAttribute('href')).toMatch(/\/rights$/);

    await page.getByRole('textbox', { name: 'Name of a new team' }).fill('Night shift');
    await page.getByRole('button', { name: 'Create the team' }).click();
    const removed = page.getByRole('textbox', { name: 'Name of a new team' });
    await removed.fill('Nobody');
    await page.getByRole('button', { name: 'Create the team' }).click();
    await page.getByRole('button', { name: 'Remove the team Nobody' }).click();
    const asking = page.getByRole('dialog', { name: 'Remove the team Nobody' });
    await asking.getByText('Nobody is in the team.').waitFor();
    await asking.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove the team Nobody' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Remove the team Night shift' }).waitFor();

    await row.getByRole('button', { name: 'Bob' }).click();
    const dialog = page.getByRole('dialog', { name: 'Bob' });
    await dialog.getByRole('combobox', { name: 'Level' }).selectOption('Developer');
    await dialog.getByRole('checkbox', { name: 'Managers' }).check();
    await dialog.getByRole('checkbox', { name: 'Night shift' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Support, Managers').waitFor();
    expect(await row.textContent()).toContain('Developer');

    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const inviting = page.getByRole('dialog', { name: 'Invite' });
    await inviting.getByRole('textbox', { name: 'E-mail' }).fill('dora@example.test');
    expect(await inviting.getByRole('button', { name: 'Invite' }).isDisabled()).toBe(true);
    await inviting.getByRole('checkbox', { name: 'Support' }).check();
    await inviting.getByRole('button', { name: 'Invite' }).click();
    const invited = page.getByRole('dialog', { name: 'dora@example.test is invited' });
    expect(await invited.getByRole('status').last().textContent()).toMatch(/^http.*[0-9a-f]{64}/);
    await invited.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Take the invitation of dora@example.test back' }).click();
    await page.getByText('dora@example.test').last().waitFor({ state: 'hidden' });

    await row.getByRole('button', { name: 'Bob' }).click();
    await page.getByRole('button', { name: 'Make a link for a new password' }).click();
    const reset = page.getByRole('dialog', { name: /^A new password for Bob/ });
    expect(await reset.getByRole('status').last().textContent()).toMatch(/^http/);
    await reset.getByRole('button', { name: 'Close' }).click();

    await row.getByRole('button', { name: 'Bob' }).click();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await row.getByText('deactivated').waitFor();
    expect((await fetch(`${started.shop.sandbox.url}/api/me`, { headers: bearer(bob.userToken) })).status).toBe(401);
    expect(complaints).toEqual([]);
  });

  it('get tags in the rights, and an administrator ends what somebody is signed in with', {
    tags: 'long',
  }, async () => {
    const started = await startApprovalShop();
    const bob = await started.join('Bob', 'Support');
    const other = await consoleOf(openPage, started, bob.id);
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    await page.goto(`${started.shop.sandbox.url}/console/development/people`);
    await page
      .getByRole('row', { name: /bob@example\.test/ })
      .getByRole('button', { name: 'Bob' })
      .click();
    const tags = page.getByRole('region', { name: 'Tags in development' });
    await tags.getByRole('textbox', { name: 'Name of a tag' }).fill('region');
    await tags.getByRole('button', { name: 'Add a tag' }).click();
    await tags.getByRole('textbox', { name: 'Value of region' }).fill('north');
    // Somebody changes other rights meanwhile: they stay.
    const { document, revision } = await started.client.rights();
    const people = { 'bob@example.test': { role: 'Support', tags: { floor: '2' } } };
    await started.client.replaceRights({
      document: { ...document, roles: document?.roles ?? {}, people },
      base: revision,
    });
    await tags.getByRole('button', { name: 'Set the tags' }).click();
    await page.getByText('The tags of Bob are saved').waitFor();
    expect((await started.client.rights()).document?.people).toEqual({
      'bob@example.test': { role: 'Support', tags: { floor: '2', region: 'north' } },
    });
    await tags.getByRole('button', { name: 'Remove the tag floor' }).click();
    await tags.getByRole('button', { name: 'Set the tags' }).click();
    await tags.getByRole('textbox', { name: 'Value of floor' }).waitFor({ state: 'hidden' });

    const sessions = page.getByRole('region', { name: 'What Bob is signed in with' });
    await sessions.getByText('Browser: the platform').waitFor();
    await sessions
      .getByText(/Chrome \d+, Linux/)
      .first()
      .waitFor();
    const heads = await sessions.getByRole('columnheader').allTextContents();
    expect(heads).toEqual(['Session', 'Last used', 'Since', 'Until', 'Address']);
    const own = sessions.getByRole('row', { name: /Browser: the platform/ }).first();
    expect(await own.getByRole('cell').nth(3).textContent()).toBe('127.0.0.1');
    await sessions
      .getByText(/^Token: /)
      .first()
      .waitFor();
    await sessions.getByRole('button', { name: 'Sign out Browser: the platform' }).click();
    await page
      .getByRole('dialog', { name: 'Sign out Browser: the platform' })
      .getByRole('button', { name: 'Sign out', exact: true })
      .click();
    await sessions.getByText('Browser: the platform').waitFor({ state: 'hidden' });
    const asked = await other.page.evaluate(
      "fetch('/api/me', {headers: {'service-client': 'console'}}).then((answer) => answer.status)",
    );
    expect(asked).toBe(401);
    await sessions.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page
      .getByRole('dialog', { name: 'Sign out everywhere' })
      .getByRole('button', { name: 'Sign out everywhere' })
      .click();
    await sessions.getByText('Nothing.').waitFor();
    expect((await fetch(`${started.shop.sandbox.url}/api/me`, { headers: bearer(bob.userToken) })).status).toBe(401);
    expect(complaints).toEqual([]);
  });

  it('are out of sight for everybody else, and who would lock administrators out learns about it first', {
    tags: 'long',
  }, async () => {
    const started = await startApprovalShop();
    const bob = await started.join('Bob', 'Support');
    const other = await consoleOf(openPage, started, bob.id);
    await other.page.getByText('A-1', { exact: true }).waitFor();
    expect(await other.page.getByRole('link', { name: 'People' }).count()).toBe(0);
    for (const [screen, title, who] of [
      ['people', 'You may not see the people of the project', 'Administrators of the project see and change them.'],
      ['rights', 'You may not read the rights', 'Administrators and developers of the project read them.'],
      ['insights', 'You may not see the insights', 'Administrators and developers of the project see them.'],
    ] as const) {
      await other.page.goto(`${started.shop.sandbox.url}/console/development/${screen}`);
      await other.page.getByRole('heading', { name: title }).waitFor();
      await other.page.getByText(who).waitFor();
      expect([screen, await other.page.getByRole('button', { name: 'Try again' }).count()]).toEqual([screen, 0]);
    }

    const { page } = await consoleOf(openPage, started, started.shop.access.userId);
    await page.goto(`${started.shop.sandbox.url}/console/development/people`);
    await page
      .getByRole('row', { name: /Administrator/ })
      .getByRole('button')
      .click();
    await page.getByRole('checkbox', { name: 'Administrators' }).uncheck();
    await page.getByRole('checkbox', { name: 'Blind' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('ADMINISTRATORS_LOCKED_OUT').waitFor();
    expect(await page.getByRole('checkbox', { name: /although no administrator/ }).isChecked()).toBe(false);
  });
});

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}
