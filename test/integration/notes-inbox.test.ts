import { expect, it } from 'vitest';
import { renderInbox } from '#cli/rendering/render-notes';
import { createTerminal } from '#cli/terminal/terminal';
import { readInbox } from '#flows/notes/read-inbox';
import { processEnvironment } from '#node/environment/process-environment';
import { document, type Person, seeing, startApprovalShop } from '../helpers/approval-shop.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';

it('notes inbox shows mentions and answers that are unread, newest first, and marks them as read', async () => {
  const { shop, join, atAgent, setRights } = await startApprovalShop();
  await setRights({ roles: { ...document.roles, Readers: { collections: { orders: seeing, customers: seeing } } } });
  const [bob, cara] = [await join('Bob', 'Readers'), await join('Cara', 'Readers')];
  const root = await createShopProject();
  const inbox = (by: Person, more: { readonly isWhole?: boolean; readonly marksRead?: boolean } = {}) => {
    const variables = { SERVICE_SERVER_URL: shop.sandbox.url, SERVICE_AUTH_TOKEN: by.userToken };
    const agentUrl = `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`;
    const asked = { folder: root, environment: undefined, agentUrl, isWhole: false, marksRead: false, ...more };
    return readInbox({ ...flowContext(root), variables }, asked);
  };
  const shown = async (by: Person, more?: object) =>
    (await inbox(by, more)).notes.map(({ title, unread, isMentioned }) => [title, unread, isMentioned]);
  const write = async (by: Person, path: string, attributes: object) => {
    const { status, json } = await atAgent(by, 'POST', `/_internal/notes/${path}`, { data: { attributes } });
    expect(status).toBeLessThan(300);
    return (json as { readonly id: number } | undefined)?.id;
  };
  const answered = await write(cara, 'orders/1', { title: 'Paid?', content: 'Who knows?' });
  await write(bob, `orders/1/${answered}/messages`, { content: 'I do.' });
  await write(bob, `orders/1/${answered}/messages`, { content: 'It is.' });
  const content = `Call, <mention user="${cara.id}"></mention>`;
  await write(bob, 'customers/1', { title: 'Ship it', content });
  await write(bob, 'orders/2', { title: 'Of nobody', content: 'Alone' });

  expect(await shown(cara)).toEqual([
    ['Ship it', 1, true],
    ['Paid?', 2, false],
  ]);
  expect(await shown(bob)).toEqual([]);
  expect(await shown(bob, { isWhole: true })).toHaveLength(3);
  const terminal = { ...createTerminal(processEnvironment, { isJson: false, hasColor: false }), resultColumns: 80 };
  const read = await inbox(cara, { marksRead: true });
  expect(renderInbox(read, terminal)).toMatch(
    /^ID +TITLE +ON +RECORD +FROM +NEWS +TIME \(UTC\)\n\d+ +Ship it +customers +1 +Bob +1 @you +\S+ \S+\n\d+ +Paid\? +orders +1 +Bob +2 .*\n\n✔ Marked 2 notes as read\.$/,
  );
  const nothing = await inbox(cara);
  expect(nothing).toMatchObject({ notes: [], marked: 0 });
  expect(renderInbox(nothing, terminal)).toBe(
    'Nothing is unread. See what you have read: vendor-cloud notes inbox --all',
  );
  expect(await shown(cara, { isWhole: true })).toEqual([
    ['Ship it', 0, false],
    ['Paid?', 0, false],
  ]);

  // A record that Cara may not read any more takes its note out of the inbox.
  await write(bob, `orders/1/${answered}/messages`, { content: 'Really.' });
  expect(await shown(cara)).toEqual([['Paid?', 1, false]]);
  await setRights({ roles: { ...document.roles, Readers: { collections: { customers: seeing } } } });
  expect(await shown(cara, { isWhole: true })).toEqual([['Ship it', 0, false]]);
});
