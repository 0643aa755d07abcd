import { expect, it } from 'vitest';
import { startApprovalShop } from '../helpers/approval-shop.ts';
import { createBrowser } from '../helpers/browser.ts';

it('whoever joins is signed in to the console in that browser, and gives a password in another one', async () => {
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
  const [, address = ''] = /<a href="([^"]+)">Open the console<\/a>/.exec(text) ?? [];
  expect(address).toContain('email=dora%40example.test');
  expect(joined.headers.get('set-cookie')).toMatch(/^vendor_joined=.*; Path=\/sign-in; .*HttpOnly; SameSite=Lax$/);
  const { response } = await browser.follow(url + address.replaceAll('&amp;', '&'), () => false);
  expect(response?.url).toMatch(/\/console\//);
  // The cookie is good once, and another browser gives the password.
  const other = createBrowser();
  const { response: asked } = await other.follow(url + address.replaceAll('&amp;', '&'), () => false);
  expect(await asked?.text()).toContain('value="dora@example.test"');
});
