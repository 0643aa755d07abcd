import { expect, it } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createAgentState } from '#runtime/agent/assemble/create-agent-state';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { QueryRecorder } from '#runtime/insights/query-recorder';
import { createAuthoriser } from '#runtime/permissions/create-authoriser';
import { createPermissionDocuments } from '#runtime/permissions/permission-documents';
import { createSignedApprovals } from '#runtime/permissions/signed-approvals';
import { getActionPrompt, listActionPrompts } from '#runtime/surfaces/mcp/prompts/action-prompts';
import { platformOfRole } from '../../../../helpers/role-platform.ts';
import { identity, spendOnce } from '../../../../helpers/shop-agent.ts';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

/** A person who may trigger one of the actions on orders, and browse nothing else. */
async function callOnOrders() {
  const source = await temporaryDataSource(
    'create table orders (id integer primary key); create table secrets (id integer primary key)',
  );
  const collector = createDeclarationCollector();
  const execute = () => undefined;
  collector.agent.customizeCollection('orders', (orders) =>
    orders
      .addAction('Ship', { scope: 'Bulk', description: 'Send it.', execute })
      .addAction('Close the day', { scope: 'Global', execute })
      .addAction('Burn', { scope: 'Single', execute }),
  );
  collector.agent.customizeCollection('secrets', (secrets) => secrets.addAction('Tell', { scope: 'Single', execute }));
  const model = compileModel([source], await collector.finish());
  const everybody = { triggerEnabled: true };
  const platform = platformOfRole({
    rights: { orders: { browseEnabled: true }, secrets: {} },
    actions: { orders: { Ship: everybody, 'Close the day': everybody }, secrets: { Tell: everybody } },
  });
  const authoriser = createAuthoriser(createPermissionDocuments(platform, systemClock));
  const approvals = createSignedApprovals('e'.repeat(64), { spendApproval: spendOnce() }, systemClock, systemRandom);
  return {
    state: createAgentState(model, {
      authoriser,
      programAuthoriser: authoriser,
      approvals,
      prefix: '/service',
      logger: silentLogger,
      aiOf: () => undefined,
      recorder: new QueryRecorder(systemClock),
    }),
    claims: identity,
    requestId: 'r',
  };
}

it('each action that the caller may trigger is a prompt', async () => {
  const prompts = await listActionPrompts(await callOnOrders());
  expect(prompts).toEqual([
    {
      name: 'orders.Ship',
      title: 'orders: Ship',
      description: 'Send it.',
      arguments: [{ name: 'recordIds', description: 'Ids of the records, separated by commas.', required: true }],
    },
    { name: 'orders.Close the day', title: 'orders: Close the day' },
  ]);
});

it('a prompt asks for the action on its records, with the form first', async () => {
  const call = await callOnOrders();
  const { messages, description } = await getActionPrompt('orders.Ship', { recordIds: '1, 2' }, call);
  expect(description).toBe('Send it.');
  expect(messages).toEqual([
    {
      role: 'user',
      content: {
        type: 'text',
        text: 'Run the action "Ship" of the collection "orders" on the records with the ids "1, 2". Call getActionForm first and ask me for the values that it requires. Then call executeAction.',
      },
    },
  ]);
  const ofDay = await getActionPrompt('orders.Close the day', {}, call);
  expect(JSON.stringify(ofDay)).not.toContain('records');
});

it.each(['orders.Burn', 'secrets.Tell', 'orders.Nothing', ''])('there is no prompt "%s" for others', async (name) => {
  await expect(getActionPrompt(name, { recordIds: '1' }, await callOnOrders())).rejects.toMatchObject({ code: -32602 });
});

it('a prompt about records needs them', async () => {
  await expect(getActionPrompt('orders.Ship', {}, await callOnOrders())).rejects.toMatchObject({
    code: -32602,
    message: 'The prompt "orders.Ship" needs the argument "recordIds".',
  });
});
