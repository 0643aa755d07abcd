import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { renderApproval, renderApprovalContent, renderApprovals } from '#cli/rendering/render-approvals';
import { createTerminal } from '#cli/terminal/terminal';
import { answerApproval, grantApproval, listApprovals, showApproval } from '#flows/approvals/answer-requests';
import { runAction } from '#flows/run/run-action';
import { processEnvironment } from '#node/environment/process-environment';
import { startDevSession } from '../helpers/dev-session.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const code = `export default (agent) => agent.customizeCollection('orders', (orders) => orders.addAction('Refund', {
  scope: 'Single',
  form: [{ type: 'String', label: 'Reason', isRequired: true }],
  execute: async ({ caller }, result) => result.success('Refunded for ' + caller.role),
}));`;
const seeing = { browse: true, read: true };
const permissions = {
  roles: {
    Support: { collections: { orders: { ...seeing, actions: { Refund: { trigger: true, needsApproval: true } } } } },
    Developers: {
      collections: {
        orders: {
          ...seeing,
          actions: { Refund: { trigger: true, needsApproval: true, approve: true, selfApprove: true } },
        },
      },
    },
  },
};

it('somebody asks, sees and grants in a terminal, and an administrator lists and refuses', async () => {
  const root = await createShopProject();
  await writeFile(path.join(root, 'src/index.ts'), code);
  await writeFile(path.join(root, 'permissions.json'), JSON.stringify(permissions));
  await startDevSession(root, 'role:Developers');
  const context = flowContext(root);
  const developer = { name: 'Test Developer', email: 'developer@test.local' };
  const asker = {
    folder: root,
    developer,
    signal: new AbortController().signal,
    timezone: 'UTC',
    as: 'role:Developers',
  };
  const order = { ...asker, collection: 'orders', action: 'refund', askFor: async () => new Map<string, unknown>() };
  const ask = (id: string) =>
    runAction(context, { ...order, ids: [id], values: new Map([['Reason', 'damaged']]), request: 'Twice.' });
  expect(await ask('1')).toMatchObject({ answer: { type: 'asked', id: 1, state: 'asked' } });
  const content = await showApproval(context, { ...asker, id: 1 });
  expect(renderApprovalContent(content)).toContain('Reason: damaged');
  const granted = await grantApproval(context, { ...asker, id: 1, comment: 'Go.', confirm: async () => true });
  expect(granted).toMatchObject({ run: { answer: { type: 'success', message: 'Refunded for Developers' } } });
  expect(await ask('2')).toMatchObject({ answer: { id: 2 } });
  const kept = await grantApproval(context, { ...asker, id: 2, comment: undefined, confirm: async () => false });
  expect(kept).toEqual({ id: 2, run: undefined });
  const target = { folder: root, environment: undefined };
  // The platform of the project knows the developer, who sees all and closes what nobody answers.
  const terminal = createTerminal(processEnvironment, { isJson: false, hasColor: false });
  const list = renderApprovals(await listApprovals(context, target), terminal);
  expect(list).toMatch(/2 .* Refund .* 1 of orders .* asked .* Twice\./);
  expect(list).toMatch(/1 .* Refund .* granted by \S+, succeeded .* Go\./);
  const commented = await answerApproval(context, { ...target, id: 2, act: 'comment', comment: 'Wait.' });
  expect(renderApproval(commented, terminal)).toContain(': Wait.');
  const refused = await answerApproval(context, { ...target, id: 2, act: 'refuse', comment: 'No.' });
  expect(renderApproval(refused, terminal)).toContain(': refused by developer@test.local');
  const withdrawing = answerApproval(context, { ...target, id: 2, act: 'withdraw' });
  await expect(withdrawing).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' });
});

it('a request is not filed where nobody would keep it', async () => {
  const root = await createShopProject();
  await writeFile(path.join(root, 'src/index.ts'), code);
  await writeFile(path.join(root, 'permissions.json'), JSON.stringify(permissions));
  const context = flowContext(root);
  const developer = { name: 'Test Developer', email: 'developer@test.local' };
  const person = { folder: root, developer, signal: new AbortController().signal, timezone: 'UTC', as: 'role:Support' };
  const order = { ...person, collection: 'orders', action: 'refund', ids: ['1'], askFor: async () => new Map() };
  const missing = {
    code: 'USAGE_INVALID',
    message: expect.stringContaining('No session serves this project to role:Support'),
    nextSteps: [expect.stringContaining('vendor-cloud dev --as role:Support'), expect.any(String)],
  };
  await expect(
    runAction(context, { ...order, values: new Map([['Reason', 'damaged']]), request: 'Twice.' }),
  ).rejects.toMatchObject(missing);
  await expect(showApproval(context, { ...person, id: 1 })).rejects.toMatchObject(missing);
  const granting = grantApproval(context, { ...person, id: 1, comment: undefined, confirm: async () => true });
  await expect(granting).rejects.toMatchObject(missing);
});
