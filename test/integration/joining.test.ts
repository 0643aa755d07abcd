import { expect, it } from 'vitest';
import { startApprovalShop } from '../helpers/approval-shop.ts';
import { createBrowser } from '../helpers/browser.ts';

it('whoever joins is led to the form for their e-mail and password, also where a terminal makes links', async () => {
  const { shop } = await startApprovalShop();
  const { url } = shop.sandbox;
  const invited = await fetch(`${url}/api/invitations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.access.userToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'dora@example.test', level: 'user', roles: ['Support'] }),
  });
  const { link } = (await invited.json()) as { link: string };
  const browser = createBrowser();
  const form = {
    secret: new URL(link).hash.slice(1),
    firstName: 'Dora',
    lastName: 'K',
    password: 'correct horse battery',
  };
  const joined = await browser.open(`${url}/join`, {
    method: 'POST',
    headers: { origin: url },
    body: new URLSearchParams(form),
  });
  const text = await joined.text();
  expect(text).toContain('You have joined');
  const [, address = ''] = /<a href="([^"]+)">Sign in<\/a>/.exec(text) ?? [];
  const { response } = await browser.follow(url + address.replaceAll('&amp;', '&'), () => false);
  const page = (await response?.text()) ?? '';
  expect(page).toContain('Link of the terminal');
  expect(page).toMatch(/<details open>\s*<summary>Sign in with a password or a token/);
  expect(page).toContain('value="dora@example.test"');
});
