import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { approvalContentSchema, approvalListSchema } from '#contracts/approvals';
import { systemClock } from '#node/system/system-clock';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { document, type Person, seeing, ship, startApprovalShop } from '../helpers/approval-shop.ts';
import { eventually } from '../helpers/eventually.ts';
import { readStoredActivities } from '../helpers/stored-activities.ts';

const namesOf = (answer: { json: unknown }) =>
  (answer.json as { errors: { name: string; detail: string }[] }).errors.map(({ name }) => name);
const wordsOf = (answer: { json: unknown }) =>
  (answer.json as { errors: { name: string; detail: string }[] }).errors[0]?.detail;

describe('a request for an approval', () => {
  it('runs the action in the name of who asked, once somebody else grants it', async () => {
    const { join, atAgent, atPlatform, order, ask, grant, one, runs, shop } = await startApprovalShop();
    const bob = await join('Bob', 'Support');
    const cara = await join('Cara', 'Managers');
    const direct = await atAgent(bob, 'POST', '/_actions/orders/0/ship', order(['2', '3']));
    expect([direct.status, ...namesOf(direct)]).toEqual([403, 'CustomActionRequiresApprovalError']);
    expect(direct.text).toContain('vendor-cloud run action');

    const id = await ask(bob, ['2', '3'], { comment: 'They wait since Monday.' });
    // The same request is the same one.
    expect(await ask(bob, ['2', '3'])).toBe(id);
    expect(runs).toEqual([]);
    expect(await one(bob, id)).toMatchObject({ state: 'asked', isOwn: true, mayDecide: false, records: 2 });
    expect(await one(cara, id)).toMatchObject({
      ...{ state: 'asked', isOwn: false, mayDecide: true, person: { email: 'bob@example.test' } },
      comments: [{ text: 'They wait since Monday.', person: { email: 'bob@example.test' } }],
    });
    // The lists of the platform hold no values. Managers see no totals, so the agent shows them none.
    expect((await atPlatform(cara, 'GET', '')).text).not.toContain('Sea');
    const content = approvalContentSchema.parse((await atAgent(cara, 'GET', `/_internal/approvals/${id}`)).json);
    expect(content).toMatchObject({ values: { Carrier: 'Sea' }, problem: null });
    expect(content.records.map(({ values }) => values)).toEqual([
      expect.objectContaining({ ref: 'A-2', status: 'draft' }),
      expect.objectContaining({ ref: 'A-3' }),
    ]);
    expect(content.records[0]?.values).not.toHaveProperty('total');

    expect([(await grant(bob, id)).status, runs]).toEqual([403, []]);
    const granted = await grant(cara, id, { comment: 'Go.' });
    expect(granted).toMatchObject({ status: 200, json: { success: 'Shipped for bob@example.test.' } });
    expect(runs).toEqual([['bob@example.test', 'Support', [2, 3], 'Sea']]);
    expect(await one(bob, id)).toMatchObject({
      ...{ state: 'granted', outcome: 'succeeded', decidedBy: { email: 'cara@example.test' } },
      comments: [{ text: 'They wait since Monday.' }, { text: 'Go.', person: { email: 'cara@example.test' } }],
    });
    // Who asked learns what the action answered. The lists of the platform do not have it.
    const told = approvalContentSchema.parse((await atAgent(bob, 'GET', `/_internal/approvals/${id}`)).json);
    expect(told.result).toEqual({ type: 'success', message: 'Shipped for bob@example.test.' });
    expect((await atPlatform(bob, 'GET', `/${id}`)).text).not.toContain('Shipped');
    const sam = await join('Sam', 'Support');
    expect((await atAgent(sam, 'GET', `/_internal/approvals/${id}`)).text).not.toContain('Shipped');
    const again = await grant(cara, id);
    expect([again.status, runs.length]).toEqual([409, 1]);
    const acts = await eventually(async () => {
      const rows = (await readStoredActivities(path.join(shop.folder, 'store.sqlite'))).filter(
        ({ action }) => action === 'action',
      );
      expect(rows).toHaveLength(2);
      return rows;
    });
    expect(acts[1]).toMatchObject({ approval: id, recordIds: ['2', '3'], user: { email: 'bob@example.test' } });
  });

  it('runs once where two people grant it at once, and not at all where it is withdrawn first', async () => {
    const { join, atPlatform, ask, grant, one, runs } = await startApprovalShop();
    const bob = await join('Bob', 'Support');
    const cara = await join('Cara', 'Managers');
    const lea = await join('Lea', 'Leads');
    const id = await ask(bob, ['2']);
    const answers = await Promise.all([grant(cara, id), grant(lea, id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(runs).toHaveLength(1);

    const other = await ask(bob, ['3']);
    const [granted, withdrawn] = await Promise.all([grant(lea, other), atPlatform(bob, 'DELETE', `/${other}`)]);
    expect([granted.status, withdrawn.status].sort()).toEqual([200, 409]);
    expect(runs).toHaveLength(granted.status === 200 ? 2 : 1);
    expect((await one(bob, other)).state).toBe(granted.status === 200 ? 'granted' : 'withdrawn');
  });

  it('is granted by nobody who may not approve these records, does not see them, or is a program', async () => {
    const { shop, client, join, setRole, atAgent, atPlatform, ask, grant, runs } = await startApprovalShop();
    const bob = await join('Bob', 'Support');
    const cara = await join('Cara', 'Managers');
    const blind = await join('Ben', 'Blind');
    // A paid order is beyond the condition of Managers.
    const paid = await ask(bob, ['1']);
    expect(namesOf(await grant(cara, paid))).toEqual(['ApprovalNotAllowedError']);
    expect((await atAgent(cara, 'GET', `/_internal/approvals/${paid}`)).status).toBe(403);
    // Who may approve and not read knows of the request, and gets no values.
    expect((await atPlatform(blind, 'GET', `/${paid}`)).status).toBe(200);
    const hidden = await atAgent(blind, 'GET', `/_internal/approvals/${paid}`);
    expect([hidden.status, hidden.text.includes('Sea')]).toEqual([403, false]);
    expect((await grant(blind, paid)).status).toBe(403);
    // A right that is gone does not count any more.
    const draft = await ask(bob, ['2']);
    await setRole(cara.id, 'Support');
    expect(namesOf(await grant(cara, draft))).toEqual(['ApprovalNotAllowedError']);
    expect((await atPlatform(cara, 'POST', `/${draft}/refuse`, {})).status).toBe(404);
    await setRole(cara.id, 'Managers');
    const claims = await client.person(cara.id);
    if (!claims) throw new TypeError('Cara is a member.');
    const ofProgram = await createSessionTokens(shop.authSecret, systemClock, () => false).issue({
      ...claims,
      client: { id: 'https://client.test', name: 'Assistant' },
    });
    const program = await grant({ ...cara, agentToken: ofProgram }, draft);
    expect([program.status, wordsOf(program)]).toEqual([403, 'A program does not grant approvals for its person.']);
    expect(runs).toEqual([]);
  });

  it('is granted by who asked only with the right to approve their own', async () => {
    const { join, ask, grant, one, runs } = await startApprovalShop();
    const lea = await join('Lea', 'Leads');
    const id = await ask(lea, ['1']);
    expect(await one(lea, id)).toMatchObject({ isOwn: true, mayDecide: true });
    expect((await grant(lea, id)).status).toBe(200);
    expect(runs).toHaveLength(1);
  });

  it('is refused by name where a record, the rights or the form are not what they were, and nothing runs', async () => {
    const { join, setRole, atAgent, ask, grant, one, change, runs } = await startApprovalShop();
    const bob = await join('Bob', 'Support');
    const cara = await join('Cara', 'Managers');
    const lea = await join('Lea', 'Leads');
    const id = await ask(bob, ['2', '3']);
    await change("update orders set ref = 'B-2' where id = 2");
    const changed = await grant(cara, id);
    expect([changed.status, ...namesOf(changed)]).toEqual([409, 'ApprovalOutdatedError']);
    expect(wordsOf(changed)).toBe('The request cannot be granted, and nothing ran: "ref" of the record 2 changed.');
    const read = approvalContentSchema.parse((await atAgent(cara, 'GET', `/_internal/approvals/${id}`)).json);
    expect(read.problem).toContain('"ref" of the record 2 changed');
    await change("update orders set ref = 'A-2' where id = 2");
    await setRole(bob.id, 'Managers');
    expect(wordsOf(await grant(lea, id))).toContain('who asked may not run the action on these records any more');
    await setRole(bob.id, 'Support');
    await change('delete from orders where id = 3');
    expect(wordsOf(await grant(cara, id))).toMatch(/You do not see all of the records|is gone/);
    expect([runs, (await one(bob, id)).state]).toEqual([[], 'asked']);
  });

  it('is not filed for what needs none, is not there, breaks the form, or is too large', async () => {
    const { join, atAgent, order, setRights } = await startApprovalShop();
    const bob = await join('Bob', 'Support');
    const cara = await join('Cara', 'Managers');
    const asked = async (by: Person, body: object) => {
      const answer = await atAgent(by, 'POST', '/_internal/approvals', body);
      return [answer.status, ...namesOf(answer)];
    };
    expect(await asked(bob, order(['99']))).toEqual([404, 'NotFoundError']);
    expect((await asked(bob, order(['2'], { values: {} })))[0]).toBe(400);
    expect((await asked(bob, order(['2'], { action_name: 'Nope' })))[0]).toBe(403);
    expect((await asked(bob, { data: {} }))[0]).toBe(400);
    expect((await asked(bob, order(['2'], { comment: 'x'.repeat(2001) })))[0]).toBe(400);
    expect((await asked(cara, order(['2'])))[0]).toBe(403);
    const file = `data:text/plain;name=slip.txt;base64,${'A'.repeat(600 * 1024)}`;
    expect(await asked(bob, order(['2'], { values: { Carrier: 'Sea', Slip: file } }))).toEqual([
      413,
      'PayloadTooLargeError',
    ]);
    const ids = Array.from({ length: 101 }, (_, index) => String(index + 1));
    expect((await asked(bob, order(ids)))[0]).toBe(400);
    const support = { collections: { orders: { ...seeing, ...ship({ trigger: true }) } } };
    await setRights({ roles: { ...document.roles, Support: support } });
    expect((await asked(bob, order(['2'])))[0]).toBe(409);
  });

  it('lapses after a week, and is refused or withdrawn with a word', async () => {
    const { join, atPlatform, ask, grant, one, runs, pass } = await startApprovalShop();
    const bob = await join('Bob', 'Support');
    const cara = await join('Cara', 'Managers');
    const refused = await ask(bob, ['2']);
    expect((await atPlatform(bob, 'POST', `/${refused}/refuse`, {})).status).toBe(403);
    expect((await atPlatform(bob, 'POST', `/${refused}/comments`, { comment: 'Please.' })).status).toBe(201);
    expect((await atPlatform(cara, 'DELETE', `/${refused}`)).status).toBe(403);
    const answer = await atPlatform(cara, 'POST', `/${refused}/refuse`, { comment: 'Not today.' });
    expect(answer).toMatchObject({ status: 200, json: { state: 'refused', mayDecide: false } });
    expect((await atPlatform(cara, 'POST', `/${refused}/refuse`, {})).status).toBe(409);
    expect((await grant(cara, refused)).status).toBe(409);
    const late = await ask(bob, ['3']);
    pass(7 * 24 * 60 * 60_000 + 1_000);
    expect(await one(cara, late)).toMatchObject({ state: 'lapsed', mayDecide: false });
    expect((await grant(cara, late)).status).toBe(409);
    const { approvals } = approvalListSchema.parse((await atPlatform(bob, 'GET', '')).json);
    expect([approvals.map(({ id }) => id), runs]).toEqual([[late, refused], []]);
  });
});
