import { expect, it } from 'vitest';
import { searchLog } from '#flows/audit/search-audit-log';
import { undoWrites } from '#flows/audit/undo/undo-writes';
import { createConsoleProject } from '../helpers/console-project.ts';
import { startDevSession } from '../helpers/dev-session.ts';
import { eventually } from '../helpers/eventually.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { call } from '../helpers/rest-call.ts';

const attributes = (values: Readonly<Record<string, unknown>>) => ({ data: { attributes: values } });

it('all that somebody wrote since a time is taken back in a terminal, and nothing where there is a conflict', async () => {
  const root = await createConsoleProject();
  const { ready } = await startDevSession(root);
  const agent = { agentUrl: ready.agent.url, token: ready.token };
  const change = async (id: number, values: Readonly<Record<string, unknown>>) =>
    expect((await call(agent, `/orders/${id}`, { method: 'PUT', body: attributes(values) })).status).toBe(200);
  const fieldsOf = async (id: number) => {
    const { json } = await call(agent, `/orders/${id}`);
    return (json as { data: { attributes: Record<string, unknown> } }).data.attributes;
  };
  const before = [await fieldsOf(1), await fieldsOf(2)];
  const since = Date.now();
  await change(1, { currency: 'CHF' });
  await change(1, { currency: 'SEK', reference: 'changed' });
  await change(2, { currency: 'NOK' });
  const common = { folder: root, developer: { name: 'Test Developer', email: 'developer@test.local' } };
  const person = { ...common, as: undefined, signal: new AbortController().signal, timezone: 'UTC' };
  const input = {
    ...person,
    environment: undefined,
    agentUrl: undefined,
    acceptsLoss: false,
    confirm: async () => true,
  };
  const target = { user: 'developer@test.local', since };
  const context = flowContext(root);
  /** Once the log has them. */
  const planned = await eventually(async () => {
    let found = 0;
    const refused = await undoWrites(context, {
      ...{ ...input, target },
      confirm: async ({ writes }) => {
        found = writes.length;
        return false;
      },
    });
    const nothing = { isConfirmed: false, isStopped: false, undone: [], left: [], unversioned: 0 };
    expect([found, refused]).toEqual([3, nothing]);
    return found;
  });
  expect(planned).toBe(3);

  // Somebody writes past the agent.
  const database = await context.openDatabase(`${root}/shop.sqlite`);
  database.execute("update orders set currency = 'USD' where id = 2");
  await expect(undoWrites(context, { ...input, target })).rejects.toMatchObject({
    code: 'RECORD_CHANGED',
    message: expect.stringContaining('orders 2: currency was "NOK" after the write and is "USD" now.'),
  });
  expect(await fieldsOf(1)).toMatchObject({ currency: 'SEK', reference: 'changed' });

  database.execute("update orders set currency = 'NOK' where id = 2");
  database.close();
  const { undone, left } = await undoWrites(context, { ...input, target });
  expect([undone.map(({ recordId }) => recordId), left]).toEqual([['2', '1', '1'], []]);
  const pick = ({ currency, reference }: Readonly<Record<string, unknown>>) => ({ currency, reference });
  expect([await fieldsOf(1), await fieldsOf(2)].map(pick)).toEqual(before.map(pick));

  // One act by its id: that which took the last change back.
  const search = { folder: root, isAdmin: false, limit: 1, collection: 'orders', record: '1', type: 'write' };
  const id = await eventually(async () => {
    const { logs } = await searchLog(context, search);
    expect(logs[0]).toMatchObject({ label: 'undo', recordIds: ['1'], fields: ['currency'] });
    return logs[0]?.id ?? '';
  });
  expect(await undoWrites(context, { ...input, target: { id } })).toMatchObject({ undone: [{ recordId: '1' }] });
  expect(await fieldsOf(1)).toMatchObject({ currency: 'CHF' });
});
