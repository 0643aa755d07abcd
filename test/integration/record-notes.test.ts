import { describe, expect, it } from 'vitest';
import { inboxSchema, mentionableSchema, recordNotesSchema } from '#contracts/notes';
import { notePageSchema } from '#contracts/public-api/notes';
import { systemClock } from '#node/system/system-clock';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { document, type Person, seeing, startApprovalShop } from '../helpers/approval-shop.ts';

const paid = { field: 'status', operator: 'equal', value: 'paid' };
const roles = {
  Administrators: document.roles.Administrators,
  Support: { collections: { orders: seeing, customers: seeing } },
  Cashiers: { collections: { orders: { ...seeing, scope: paid } } },
  Browsers: { collections: { orders: { browse: true } } },
};
const attributes = (values: object) => ({ data: { attributes: values } });
const mention = ({ id }: Person) => `<mention user="${id}">whoever</mention>`;
/** Of the orders, 1 is paid and 2 is a draft. */
const [paidOrder, draft] = ['/_internal/notes/orders/1', '/_internal/notes/orders/2'] as const;

describe('notes on records, for people who may read them', () => {
  async function start() {
    const shop = await startApprovalShop();
    await shop.setRights({ roles });
    const { atAgent } = shop;
    const write = (by: Person, method: 'POST' | 'PUT', path: string, values: object) =>
      atAgent(by, method, path, attributes(values));
    const begin = async (by: Person, path: string, content: string, title = 'Late') => {
      const { status, json } = await write(by, 'POST', path, { title, content });
      expect([status, json]).toEqual([201, { id: expect.any(Number) }]);
      return (json as { id: number }).id;
    };
    const list = async (by: Person, path: string) => recordNotesSchema.parse((await atAgent(by, 'GET', path)).json);
    const inbox = async (by: Person) =>
      inboxSchema
        .parse((await atAgent(by, 'GET', '/_internal/notes')).json)
        .notes.map((note) => [note.title, note.unread, note.isMentioned]);
    const people = async (by: Person, path: string, search: string) =>
      mentionableSchema
        .parse((await atAgent(by, 'GET', `${path}/people?search=${encodeURIComponent(search)}`)).json)
        .people.map(({ name }) => name);
    return { ...shop, write, begin, list, inbox, people };
  }

  it('are begun, answered and changed by ordinary people, and every change is in the log', async () => {
    const { join, begin, list, write, shop } = await start();
    const [bob, cara] = [await join('Bob', 'Support'), await join('Cara', 'Support')];
    const id = await begin(bob, draft, '<p>Where is it?</p><script>alert(1)</script>');
    expect((await write(cara, 'POST', `${draft}/${id}/messages`, { content: 'On its way.' })).status).toBe(204);
    const page = await list(cara, draft);
    expect(page).toMatchObject({ open: 1, unread: 0, next: null });
    expect(page.notes).toMatchObject([
      {
        ...{ id, title: 'Late', user: { id: bob.id, name: 'Bob' }, mayChange: false, revision: 2 },
        messages: [
          { number: 1, content: '<p>Where is it?</p>', user: { name: 'Bob' } },
          { number: 2, content: 'On its way.', user: { name: 'Cara' } },
        ],
      },
    ]);
    expect((await list(bob, draft)).unread).toBe(1);
    const edit = (by: Person, values: object) => write(by, 'PUT', `${draft}/${id}`, values);
    expect((await edit(cara, { revision: 2, archived: true })).status).toBe(403);
    expect((await edit(bob, { revision: 1, title: 'Lost' })).status).toBe(409);
    expect((await edit(bob, { revision: 2, title: 'Lost', archived: true })).status).toBe(204);
    expect(await list(bob, draft)).toMatchObject({ open: 0, unread: 0, notes: [{ title: 'Lost', revision: 3 }] });
    expect((await write(bob, 'POST', `${draft}/${id}/messages`, { content: 'Again' })).status).toBe(409);
    const address = `${shop.sandbox.url}/v1/project/shop/environment/development`;
    const headers = { authorization: `Bearer ${shop.access.userToken}` };
    // The public API has the same note, and the log a row of each change.
    const kept = notePageSchema.parse(await (await fetch(`${address}/notes`, { headers })).json());
    expect(kept.data).toMatchObject([{ id, title: 'Lost', recordId: '2', user: { email: 'bob@example.test' } }]);
    const log = await fetch(`${address}/activity-logs?include=all&expand=source&order=asc&limit=100`, { headers });
    const rows = ((await log.json()) as { data: { action: string; source?: string }[] }).data;
    const ofNotes = rows.filter(({ action }) => /Note|Message/.test(action));
    expect(ofNotes.map(({ action, source }) => `${action} ${source}`)).toEqual(
      ['createNote', 'createMessage', 'createMessage', 'updateNote', 'deleteNote'].map((action) => `${action} rest`),
    );
  });

  it('tell nothing of a record to who may not read it', async () => {
    const { join, atAgent, begin, list, inbox, write, setRights, change } = await start();
    const [bob, cash, ben] = [
      await join('Bob', 'Support'),
      await join('Cash', 'Cashiers'),
      await join('Ben', 'Browsers'),
    ];
    const onPaid = await begin(bob, paidOrder, `Look, ${mention(cash)}`);
    const onDraft = await begin(bob, draft, 'Nobody pays.');
    expect((await list(cash, paidOrder)).open).toBe(1);
    // A note on a record out of scope is not reached by the path of another record.
    for (const path of [draft, `${draft}/people`, '/_internal/notes/orders/99', '/_internal/notes/orders/x']) {
      expect([path, (await atAgent(cash, 'GET', path)).status]).toEqual([path, 404]);
    }
    const content = { content: 'Hello' };
    expect((await write(cash, 'POST', `${draft}/${onDraft}/messages`, content)).status).toBe(404);
    expect((await write(cash, 'POST', `${paidOrder}/${onDraft}/messages`, content)).status).toBe(404);
    expect((await write(cash, 'PUT', `${paidOrder}/${onDraft}/reading`, { number: 1 })).status).toBe(404);
    expect((await write(ben, 'POST', draft, { title: 'x', ...content })).status).toBe(403);
    expect((await atAgent(ben, 'GET', draft)).status).toBe(403);
    expect((await atAgent(cash, 'GET', '/_internal/notes/parcels/1')).status).toBe(404);
    expect(await inbox(cash)).toEqual([['Late', 1, true]]);
    await change("update orders set status = 'draft' where id = 1");
    expect(await inbox(cash)).toEqual([]);
    await change("update orders set status = 'paid' where id = 1");
    expect(await inbox(cash)).toHaveLength(1);
    const { Cashiers: _none, ...others } = roles;
    await setRights({ roles: { ...others, Cashiers: { collections: { customers: seeing } } } });
    expect(await inbox(cash)).toEqual([]);
    expect((await write(cash, 'PUT', `${paidOrder}/${onPaid}/reading`, { number: 1 })).status).toBe(403);
  });

  it('mention people who may read the record, and nobody else', async () => {
    const { join, begin, list, people, write, atAgent, shop } = await start();
    const [bob, cara, cash] = [
      await join('Bob', 'Support'),
      await join('Cara', 'Support'),
      await join('Cash', 'Cashiers'),
    ];
    expect(await people(bob, paidOrder, 'ca')).toEqual(['Cara', 'Cash']);
    expect(await people(bob, draft, 'ca')).toEqual(['Cara']);
    expect(await people(bob, draft, 'ob')).toEqual([]);
    const refused = await write(bob, 'POST', draft, { title: 'Late', content: `Hi ${mention(cara)} ${mention(cash)}` });
    expect([refused.status, refused.json]).toMatchObject([
      422,
      {
        errors: [
          { code: 'NOTE_MENTION_REFUSED', detail: expect.stringContaining('mentions whoever, who may not read') },
        ],
      },
    ]);
    expect((await list(bob, draft)).notes).toEqual([]);
    // The platform takes no mention that the agent has not seen.
    const hidden = await write(bob, 'POST', draft, {
      title: 'Late',
      content: `<MENTION user='${cash.id}'>x</MENTION>`,
    });
    expect(hidden.status).toBe(400);
    await begin(bob, draft, `Ask ${mention(cara)}, please`);
    expect((await list(bob, draft)).notes[0]?.messages[0]?.content).toBe(
      `Ask <mention user="${cara.id}">@Cara</mention>, please`,
    );
    // Through the public API a mention is text.
    const answer = await fetch(`${shop.sandbox.url}/v1/project/shop/environment/development/notes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.access.userToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        collectionName: 'orders',
        recordId: '2',
        title: 'API',
        content: `Hi ${mention(cara)} @Bob`,
      }),
    });
    expect(await answer.json()).toMatchObject({ messages: [{ content: 'Hi whoever @Bob' }] });
    expect((await atAgent(cara, 'GET', '/_internal/notes')).text).not.toContain('API');
  });

  it('are unread until their readers have read them, and concern nobody once archived', async () => {
    const { join, begin, inbox, write, list } = await start();
    const [bob, cara, eve] = [
      await join('Bob', 'Support'),
      await join('Cara', 'Support'),
      await join('Eve', 'Support'),
    ];
    const id = await begin(bob, draft, `Ask ${mention(cara)}`);
    const read = (by: Person, number: number) => write(by, 'PUT', `${draft}/${id}/reading`, { number });
    const reply = (by: Person, content: string) => write(by, 'POST', `${draft}/${id}/messages`, { content });
    expect([await inbox(bob), await inbox(cara), await inbox(eve)]).toEqual([
      [['Late', 0, false]],
      [['Late', 1, true]],
      [],
    ]);
    expect((await read(cara, 99)).status).toBe(204);
    expect(await inbox(cara)).toEqual([['Late', 0, false]]);
    await reply(cara, 'It left.');
    expect([await inbox(bob), await inbox(cara)]).toEqual([[['Late', 1, false]], [['Late', 0, false]]]);
    // Reading less than before changes nothing. Who is not concerned leaves no mark.
    expect([(await read(cara, 1)).status, (await read(eve, 2)).status]).toEqual([204, 204]);
    expect([await inbox(cara), await inbox(eve)]).toEqual([[['Late', 0, false]], []]);
    expect((await list(eve, draft)).notes).toMatchObject([{ readTo: null }]);
    await begin(bob, paidOrder, 'Other', 'Paid');
    expect((await inbox(bob)).map(([title]) => title)).toEqual(['Late', 'Paid']);
    expect((await write(bob, 'PUT', `${draft}/${id}`, { revision: 2, archived: true })).status).toBe(204);
    expect([await inbox(bob), await inbox(cara)]).toEqual([[['Paid', 0, false]], []]);
  });

  it('are not for programs, and one key writes one note', async () => {
    const { join, client, shop, atAgent, write, list } = await start();
    const bob = await join('Bob', 'Support');
    const claims = await client.person(bob.id);
    if (!claims) throw new TypeError('Bob is a member.');
    const program = { ...bob };
    const tokens = createSessionTokens(shop.authSecret, systemClock, () => false);
    const withToken = { ...program, agentToken: await tokens.issue({ ...claims, client: { id: 'x', name: 'Bot' } }) };
    expect((await atAgent(withToken, 'GET', draft)).status).toBe(403);
    expect((await atAgent(withToken, 'GET', '/_internal/notes')).status).toBe(403);
    const port = shop.agent.standaloneServerPort;
    const once = () =>
      fetch(`http://127.0.0.1:${port}/service${draft}`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${bob.agentToken}`, 'content-type': 'application/json' },
          'idempotency-key': 'a',
        },
        body: JSON.stringify(attributes({ title: 'Once', content: 'x' })),
      });
    expect([(await once()).status, (await once()).status]).toEqual([201, 201]);
    expect((await list(bob, draft)).notes).toHaveLength(1);
    for (const [values, status] of [
      [{ title: '', content: 'x' }, 400],
      [{ title: 'x', content: '' }, 400],
      [{ title: 'x', content: '<script>x</script>' }, 400],
      [{ title: 'x', content: 'x'.repeat(70_000) }, 400],
      [{ title: 'x', content: '\0' }, 400],
    ] as const) {
      expect([values.title, (await write(bob, 'POST', draft, values)).status]).toEqual([values.title, status]);
    }
    expect((await write(bob, 'POST', `${draft}/x/messages`, { content: 'x' })).status).toBe(404);
    expect((await atAgent(bob, 'GET', `${draft}?limit=51`)).status).toBe(400);
    expect(recordNotesSchema.parse((await atAgent(bob, 'GET', `${draft}?limit=0`)).json)).toMatchObject({
      ...{ notes: [], open: 1 },
    });
  });
});
